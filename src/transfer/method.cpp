// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/method.hpp"

#include "mpi/check.hpp"

#include <algorithm>
#include <array>
#include <tuple>

namespace nereus::transfer {
namespace {

// A process that has other things to do copies some of these in a look: some 50 us each.
constexpr std::int64_t background_segment = std::int64_t{1} << 18;
constexpr int background_receives = 2;
constexpr int pipelined = 4; // one way has half of the memory

int distance(int source, int drain, int ranks) { return (drain - source + ranks) % ranks; }

int own_rank(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

/// Of the pieces that this process sends as a source, or receives as a drain.
std::vector<SegmentQueue::QueuedPiece> pieces_of(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
                                                 bool is_source, std::int64_t strided_bytes) {
    std::vector<SegmentQueue::QueuedPiece> pieces;
    const int self = own_rank(lane.comm), ranks = ranks_of(lane.comm);
    for (const ArrayTransfer &array_transfer : array_transfers)
        for (const plan::Piece &piece : is_source ? array_transfer.move.sends : array_transfer.move.receives) {
            const int peer = is_source ? lane.rank_of_drain(piece.peer) : lane.rank_of_source(piece.peer);
            const int source = is_source ? self : peer, drain = is_source ? peer : self;
            const bool strided = !start_of_row(piece.strips, source_side) || !start_of_row(piece.strips, drain_side);
            pieces.push_back({&array_transfer, static_cast<int>(&array_transfer - array_transfers.data()), peer,
                              distance(source, drain, ranks), source, strided ? strided_bytes : INT64_MAX,
                              Slicer(in_bytes(piece.strips, array_transfer.extent))});
        }
    return pieces;
}

std::array<MakeCarrier, NEREUS_TRANSFER_AUTO> &registered_methods() {
    static std::array<MakeCarrier, NEREUS_TRANSFER_AUTO> all{};
    return all;
}

}

RegisteredMethod::RegisteredMethod(Method method, MakeCarrier make) {
    registered_methods().at(static_cast<std::size_t>(method)) = make;
}

MakeCarrier registered_method(Method method) { return registered_methods().at(static_cast<std::size_t>(method)); }

bool is_inter(MPI_Comm comm) {
    int inter = 0;
    MPI_Comm_test_inter(comm, &inter);
    return inter != 0;
}

int ranks_of(MPI_Comm comm) {
    int here = 0, there = 0;
    MPI_Comm_size(comm, &here);
    if (is_inter(comm)) MPI_Comm_remote_size(comm, &there);
    return here + there;
}

Segments segments_of_sends(Strategy strategy, const Limits &limits) {
    std::int64_t bytes = std::clamp(limits.memory_bytes / (2 * pipelined), std::int64_t{1}, limits.message_bytes);
    if (strategy != NEREUS_BLOCKING) bytes = std::min(bytes, background_segment);
    return {bytes, pipelined};
}

Segments segments_of_receives(Strategy strategy, const Limits &limits) {
    Segments segments = segments_of_sends(strategy, limits);
    if (strategy != NEREUS_BLOCKING) segments.under_way = background_receives;
    return segments;
}

SegmentQueue::SegmentQueue(std::vector<QueuedPiece> pieces) : pieces_(std::move(pieces)) {
    std::sort(pieces_.begin(), pieces_.end(), [](const QueuedPiece &a, const QueuedPiece &b) {
        return std::tie(a.array, a.distance, a.source) < std::tie(b.array, b.distance, b.source);
    });
    std::erase_if(pieces_, [](const QueuedPiece &piece) { return piece.slicer.done(); });
}

SegmentQueue SegmentQueue::of_sends(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
                                    std::int64_t strided_bytes) {
    return SegmentQueue(pieces_of(lane, array_transfers, true, strided_bytes));
}

SegmentQueue SegmentQueue::of_receives(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
                                       std::int64_t strided_bytes) {
    return SegmentQueue(pieces_of(lane, array_transfers, false, strided_bytes));
}

std::pair<SegmentQueue::QueuedPiece &, Strips> SegmentQueue::next(std::int64_t bytes) {
    QueuedPiece &piece = pieces_[at_++];
    return {piece, piece.slicer.take(std::min(bytes, piece.most_bytes))};
}

/// After each next() whose piece is not looked at any more.
void SegmentQueue::skip_ended() {
    if (at_ > 0 && pieces_[at_ - 1].slicer.done()) pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(--at_));
    if (at_ >= pieces_.size()) at_ = 0;
}

Pipe::Pipe(SegmentQueue queue, const Segments &segments, Post post, Ended ended)
    : queue_(std::move(queue)), segments_(segments), post_(std::move(post)), ended_(std::move(ended)),
      requests_(static_cast<std::size_t>(segments.under_way), MPI_REQUEST_NULL) {}

Result<Step> Pipe::step() {
    auto ended = see_what_ended();
    if (!ended) return tl::unexpected(ended.error());
    if (auto done = fill(); !done) return tl::unexpected(done.error());
    if (std::ranges::all_of(requests_, [](MPI_Request one) { return one == MPI_REQUEST_NULL; })) return Step::all;
    return *ended > 0 ? Step::something : Step::nothing;
}

Result<int> Pipe::see_what_ended() {
    int ended = 0;
    std::vector<int> which(requests_.size());
    const int code =
        MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &ended, which.data(), MPI_STATUSES_IGNORE);
    if (auto done = mpi::check(code, "MPI_Testsome"); !done) return tl::unexpected(done.error());
    if (ended == MPI_UNDEFINED) return 0; // none is under way
    for (int i = 0; i < ended; ++i) ended_(static_cast<std::size_t>(which[static_cast<std::size_t>(i)]));
    return ended;
}

Done Pipe::fill() {
    for (std::size_t number = 0; number < requests_.size() && !queue_.done(); ++number) {
        if (requests_[number] != MPI_REQUEST_NULL) continue;
        auto [piece, segment] = queue_.next(segments_.bytes);
        if (auto done = post_(piece, segment, number, requests_[number]); !done) return done;
        queue_.skip_ended();
    }
    return {};
}

}
