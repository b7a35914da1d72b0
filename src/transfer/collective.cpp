// SPDX-License-Identifier: BSD-3-Clause
// COL: all-to-all collectives for each array (Martín-Álvarez et al. 2024, section 4.3: MPI_Alltoallv). Its general
// form MPI_Ialltoallw is used, since a datatype can hold 64-bit places on every MPI; the non-blocking one, since
// waiting for it can end. Each carries one segment of each piece: a round. How many rounds an array needs, and how long
// its segments may be, must be the same on all processes: the largest figures of all are found by a reduction first.
#include "mpi/check.hpp"
#include "transfer/method.hpp"

#include <algorithm>
#include <deque>

namespace nereus::transfer {
namespace {

constexpr std::int64_t rounds_under_way = 2;

/// One side of an all-to-all: a datatype for each peer that holds the segment's place, which may be beyond what an int
/// holds, and its length.
struct Ends {
    std::vector<int> counts, places;
    std::vector<MPI_Datatype> types;
    std::vector<mpi::Type> owned;

    explicit Ends(std::size_t peers) : counts(peers, 0), places(peers, 0), types(peers, MPI_BYTE) {}

    void add(int peer, const Strips &segment, Side side) {
        const auto at = static_cast<std::size_t>(peer);
        counts[at] = 1;
        owned.push_back(type_with_place(segment, side));
        types[at] = owned.back().get();
    }
};

/// Nowhere for a side without bytes. Open MPI 4.1 (libnbc) takes one address on both sides for MPI_IN_PLACE and
/// does not look at what is to be sent. Parts in shared memory begin where they began on who keeps their first element:
/// there one of the sides has no bytes.
template <class Byte> Byte *address_of(const Ends &ends, Byte *part) { return ends.owned.empty() ? nullptr : part; }

/// MPI reads the lists until the call is complete (MPI 4.0, section 6.12.9).
struct Round {
    Ends out, in;
    MPI_Request request = MPI_REQUEST_NULL;
    explicit Round(std::size_t peers) : out(peers), in(peers) {}
};

struct QueuedPiece {
    int peer;
    Slicer slicer;
};

/// One array on its way.
struct Journey {
    const ArrayTransfer *array_transfer;
    std::vector<QueuedPiece> out, in;
    std::int64_t rounds = 0;
};

std::size_t peers_in(MPI_Comm comm) {
    int peers = 0;
    if (is_inter(comm))
        MPI_Comm_remote_size(comm, &peers);
    else
        MPI_Comm_size(comm, &peers);
    return static_cast<std::size_t>(peers);
}

std::int64_t longest(const ArrayTransfer &array_transfer) {
    std::int64_t most = 0;
    for (const plan::Piece &piece : array_transfer.move.sends)
        most = std::max(most, piece.count() * array_transfer.extent);
    for (const plan::Piece &piece : array_transfer.move.receives)
        most = std::max(most, piece.count() * array_transfer.extent);
    return most;
}

std::int64_t partners(const ArrayTransfer &array_transfer) {
    return static_cast<std::int64_t>(array_transfer.move.sends.size() + array_transfer.move.receives.size());
}

void add_segments(std::vector<QueuedPiece> &pieces, Ends &ends, std::int64_t bytes, Side side) {
    for (QueuedPiece &piece : pieces)
        if (!piece.slicer.done()) ends.add(piece.peer, piece.slicer.take(bytes), side);
}

class Collective : public Carrier {
public:
    explicit Collective(const TransferContext &context)
        : comm_(context.lane.comm), strategy_(context.strategy), limits_(context.limits), peers_(peers_in(comm_)),
          largest_(context.array_transfers.size() + 1) {
        mine_.push_back(1);
        for (const ArrayTransfer &array_transfer : context.array_transfers) {
            mine_.push_back(longest(array_transfer));
            mine_.front() = std::max(mine_.front(), partners(array_transfer));
            journeys_.push_back(journey_of(context.lane, array_transfer));
        }
    }

    Done start() override { return reduce(); }

    Result<Step> step() override {
        if (agreeing_ != MPI_REQUEST_NULL) return agree();
        auto ended = see_what_ended();
        if (!ended) return tl::unexpected(ended.error());
        if (auto done = fill(); !done) return tl::unexpected(done.error());
        if (rounds_.empty()) return Step::all;
        return *ended ? Step::something : Step::nothing;
    }

private:
    static Journey journey_of(const Lane &lane, const ArrayTransfer &array_transfer) {
        Journey journey{&array_transfer, {}, {}};
        for (const plan::Piece &piece : array_transfer.move.sends)
            journey.out.push_back(
                {lane.rank_of_drain(piece.peer), Slicer(in_bytes(piece.strips, array_transfer.extent))});
        for (const plan::Piece &piece : array_transfer.move.receives)
            journey.in.push_back(
                {lane.rank_of_source(piece.peer), Slicer(in_bytes(piece.strips, array_transfer.extent))});
        return journey;
    }

    Done reduce() {
        return mpi::check(MPI_Iallreduce(mine_.data(), largest_.data(), static_cast<int>(mine_.size()), MPI_INT64_T,
                                         MPI_MAX, comm_, &agreeing_),
                          "MPI_Iallreduce");
    }

    /// Over an inter-communicator each side gets the other's figures: they are sent back, and both have all.
    Done send_back() {
        sent_back_ = true;
        mine_ = largest_;
        return reduce();
    }

    Result<Step> agree() {
        int there = 0;
        auto done = mpi::check(MPI_Test(&agreeing_, &there, MPI_STATUS_IGNORE), "MPI_Iallreduce");
        if (!done) return tl::unexpected(done.error());
        if (there == 0) return Step::nothing;
        if (is_inter(comm_) && !sent_back_) {
            if (done = send_back(); !done) return tl::unexpected(done.error());
            return Step::something;
        }
        plan_rounds();
        return Step::something;
    }

    void plan_rounds() {
        for (std::size_t i = 0; i < mine_.size(); ++i) largest_[i] = std::max(largest_[i], mine_[i]);
        const std::int64_t room = limits_.memory_bytes / (rounds_under_way * largest_.front());
        const bool pauses = strategy_ == NEREUS_BLOCKING;
        const std::int64_t most = pauses ? limits_.message_bytes : segments_of_sends(strategy_, limits_).bytes;
        segment_ = std::clamp(room, std::int64_t{1}, most);
        for (std::size_t i = 0; i < journeys_.size(); ++i)
            journeys_[i].rounds = (largest_[i + 1] + segment_ - 1) / segment_;
    }

    Result<bool> see_what_ended() {
        bool ended = false;
        while (!rounds_.empty()) {
            int there = 0;
            auto done = mpi::check(MPI_Test(&rounds_.front()->request, &there, MPI_STATUS_IGNORE), "MPI_Ialltoallw");
            if (!done) return tl::unexpected(done.error());
            if (there == 0) break;
            rounds_.pop_front();
            ended = true;
        }
        return ended;
    }

    Done fill() {
        while (next_ < journeys_.size() && rounds_.size() < static_cast<std::size_t>(rounds_under_way)) {
            Journey &journey = journeys_[next_];
            if (journey.rounds == 0)
                ++next_;
            else if (auto done = start_round(journey); !done)
                return done;
        }
        return {};
    }

    Done start_round(Journey &journey) {
        Round &round = *rounds_.emplace_back(std::make_unique<Round>(peers_));
        add_segments(journey.out, round.out, segment_, source_side);
        add_segments(journey.in, round.in, segment_, drain_side);
        --journey.rounds;
        const ArrayTransfer &array_transfer = *journey.array_transfer;
        return mpi::check(MPI_Ialltoallw(address_of(round.out, array_transfer.from), round.out.counts.data(),
                                         round.out.places.data(), round.out.types.data(),
                                         address_of(round.in, array_transfer.to), round.in.counts.data(),
                                         round.in.places.data(), round.in.types.data(), comm_, &round.request),
                          "MPI_Ialltoallw");
    }

    MPI_Comm comm_;
    Strategy strategy_;
    Limits limits_;
    std::size_t peers_;
    std::vector<std::int64_t> mine_, largest_; ///< partners of a process, then bytes of a piece of each array
    MPI_Request agreeing_ = MPI_REQUEST_NULL;
    bool sent_back_ = false;
    std::int64_t segment_ = 0;
    std::vector<Journey> journeys_;
    std::size_t next_ = 0; ///< journey
    std::deque<std::unique_ptr<Round>> rounds_;
};

const RegisteredMethod col(NEREUS_COL, [](const TransferContext &context, const Windows &) -> std::unique_ptr<Carrier> {
    return std::make_unique<Collective>(context);
});

}

}
