// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/piece_exchange.hpp"

#include "mpi/share.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <numeric>

namespace nereus::job {
namespace {

using epochs::ChunkPiece;

constexpr int tag_piece = 41;

int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

/// Lists of all ranks one behind the other, counted in bytes.
struct Flat {
    std::vector<int> counts, places;
    std::vector<std::byte> bytes;

    explicit Flat(std::vector<int> bytes_of_each) : counts(std::move(bytes_of_each)), places(counts.size()) {
        std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
        bytes.resize(counts.empty() ? 0 : static_cast<std::size_t>(places.back() + counts.back()));
    }
};

/// Counts of MPI are ints.
Done check_sum(const std::vector<int> &bytes_of_each) {
    const auto all = std::accumulate(bytes_of_each.begin(), bytes_of_each.end(), std::int64_t{0});
    return all <= INT_MAX ? Done{} : failed(NEREUS_ERR_RANGE, "an epoch has too many pieces");
}

Result<Flat> flattened(const std::vector<Pieces> &lists) {
    std::vector<int> counts;
    for (const Pieces &list : lists)
        counts.push_back(static_cast<int>(std::min<std::size_t>(list.size() * sizeof(ChunkPiece), INT_MAX)));
    if (auto done = check_sum(counts); !done) return tl::unexpected(done.error());
    Flat flat(std::move(counts));
    for (std::size_t i = 0; i < lists.size(); ++i)
        if (!lists[i].empty())
            std::memcpy(flat.bytes.data() + flat.places[i], lists[i].data(), lists[i].size() * sizeof(ChunkPiece));
    return flat;
}

/// One piece after the other, in parts that fit into a message.
class Parts {
public:
    explicit Parts(const Pieces &pieces) : pieces_(pieces) { pass_empty(); }

    bool has_next() const { return number_ < pieces_.size(); }

    ChunkPiece next() {
        ChunkPiece part = pieces_[number_];
        part.place += done_;
        part.bytes = std::min(part.bytes - done_, most_bytes_at_once);
        done_ += part.bytes;
        if (done_ == pieces_[number_].bytes) {
            ++number_;
            done_ = 0;
            pass_empty();
        }
        return part;
    }

private:
    void pass_empty() {
        while (has_next() && pieces_[number_].bytes == 0) ++number_;
    }

    const Pieces &pieces_;
    std::size_t number_ = 0;
    std::int64_t done_ = 0; ///< bytes of that piece
};

/// Of one process with one that it sends to and one that it receives from.
class Exchange {
public:
    Exchange(MPI_Comm comm, epochs::ChunkFiles &files, Done &so_far)
        : comm_(comm), files_(files), so_far_(so_far), sent_(most_bytes_at_once), received_(most_bytes_at_once) {}

    /// Each sends one part and then receives one: whoever is behind the others finds what it waits for.
    void with(int to, const Pieces &to_send, int from, const Pieces &to_receive) {
        Parts out(to_send), in(to_receive);
        while (out.has_next() || in.has_next()) {
            MPI_Request request = MPI_REQUEST_NULL;
            if (out.has_next()) send(out.next(), to, request);
            if (in.has_next()) receive(in.next(), from);
            note(mpi::check(MPI_Wait(&request, MPI_STATUS_IGNORE), "MPI_Wait"));
        }
    }

private:
    void send(const ChunkPiece &part, int to, MPI_Request &request) {
        if (so_far_) note(files_.read(part, sent_.data()));
        note(mpi::check(MPI_Isend(sent_.data(), static_cast<int>(part.bytes), MPI_BYTE, to, tag_piece, comm_, &request),
                        "MPI_Isend"));
    }

    void receive(const ChunkPiece &part, int from) {
        note(mpi::check(MPI_Recv(received_.data(), static_cast<int>(part.bytes), MPI_BYTE, from, tag_piece, comm_,
                                 MPI_STATUS_IGNORE),
                        "MPI_Recv"));
        if (so_far_) note(files_.write(part, received_.data()));
    }

    void note(const Done &done) {
        if (so_far_ && !done) so_far_ = done;
    }

    MPI_Comm comm_;
    epochs::ChunkFiles &files_;
    Done &so_far_;
    std::vector<std::byte> sent_, received_;
};

}

Result<std::vector<Pieces>> exchanged_lists(MPI_Comm comm, const std::vector<Pieces> &for_each) {
    const auto out = flattened(for_each);
    auto done = mpi::agree(comm, out ? Done{} : Done(tl::unexpected(out.error())));
    if (!done) return tl::unexpected(done.error());
    std::vector<int> counts(for_each.size());
    done = mpi::check(MPI_Alltoall(out->counts.data(), 1, MPI_INT, counts.data(), 1, MPI_INT, comm), "MPI_Alltoall");
    if (!done) return tl::unexpected(done.error());
    if (done = mpi::agree(comm, check_sum(counts)); !done) return tl::unexpected(done.error());
    Flat in(std::move(counts));
    done = mpi::check(MPI_Alltoallv(out->bytes.data(), out->counts.data(), out->places.data(), MPI_BYTE,
                                    in.bytes.data(), in.counts.data(), in.places.data(), MPI_BYTE, comm),
                      "MPI_Alltoallv");
    if (!done) return tl::unexpected(done.error());
    std::vector<Pieces> lists;
    for (std::size_t i = 0; i < in.counts.size(); ++i) {
        Pieces &list = lists.emplace_back(static_cast<std::size_t>(in.counts[i]) / sizeof(ChunkPiece));
        if (!list.empty()) std::memcpy(list.data(), in.bytes.data() + in.places[i], list.size() * sizeof(ChunkPiece));
    }
    return lists;
}

Done move_pieces(MPI_Comm comm, const std::vector<Pieces> &to_each, const std::vector<Pieces> &from_each,
                 epochs::ChunkFiles &files) {
    Done so_far;
    Exchange exchange(comm, files, so_far);
    const int rank = rank_in(comm), size = static_cast<int>(to_each.size());
    for (int step = 1; step < size; ++step) {
        const int to = (rank + step) % size, from = (rank - step + size) % size;
        exchange.with(to, to_each[static_cast<std::size_t>(to)], from, from_each[static_cast<std::size_t>(from)]);
    }
    return so_far;
}

}
