// SPDX-License-Identifier: BSD-3-Clause
// RMA-Lock and RMA-Lockall: drains read from windows of the sources in passive epochs (Martín-Álvarez et al. 2025,
// section 4.2, Algorithms 2 and 3), by MPI_Rget, so that nobody waits in an unlock (section 4.3, Fig. 1). Nobody asks
// for an exclusive lock, for which MPI_MODE_NOCHECK is right. Windows stay locked until all drains have read: the end
// is told by a barrier that the sending adds.
#include "mpi/bounded_call.hpp"
#include "mpi/check.hpp"
#include "transfer/method.hpp"

#include <algorithm>
#include <set>

namespace nereus::transfer {
namespace {

/// Bytes of the old part up to the last one that a drain reads.
std::int64_t reach(const ArrayTransfer &array_transfer) {
    std::int64_t end = 0;
    for (const plan::Piece &piece : array_transfer.move.sends)
        for (const plan::Strip &strip : piece.strips)
            for (const plan::Run &run : strip.runs)
                end = std::max(end, run.from + run.count + (strip.repeats - 1) * strip.from_step);
    return end * array_transfer.extent;
}

// In the background. Where an MPI needs the source's help for a read (MPICH between processes of one MPI_COMM_WORLD),
// the source pushes what was asked for through few cells of shared memory: it is held up in its own calls when they are
// full of data for a drain that sleeps. Reads that nobody helps with are complete by the next step.
constexpr std::int64_t shortest_read = std::int64_t{1} << 16, longest_background_read = std::int64_t{1} << 18;

class OneSided : public Carrier {
public:
    OneSided(const TransferContext &context, bool lock_all, const Windows &windows)
        : comm_(context.lane.comm), lock_all_(lock_all), store_(windows),
          gets_(SegmentQueue::of_receives(context.lane, context.array_transfers),
                segments_of_receives(context.strategy, context.limits),
                [this](auto &&...with) { return get(with...); }) {
        if (context.strategy != NEREUS_BLOCKING) read_carefully();
        for (const ArrayTransfer &array_transfer : context.array_transfers)
            exposed_.push_back({array_transfer.name, array_transfer.from, reach(array_transfer)});
    }

    bool has_to_open() const override { return true; }

    /// A rank that is alone reads from nobody; Open MPI has no windows for it.
    Done open(const Deadline &deadline) override {
        if (ranks_of(comm_) == 1) return {};
        auto windows = store_.open(comm_, exposed_, deadline);
        if (!windows) return tl::unexpected(windows.error());
        windows_ = std::move(*windows);
        return {};
    }

    Result<Step> step() override {
        auto step = gets_.step();
        if (step && longest_read_ > 0 && *step != Step::all)
            gets_.set_bytes(*step == Step::something
                                ? std::min(2 * gets_.bytes(), longest_read_)
                                : std::max(gets_.bytes() / 2, std::min(shortest_read, longest_read_)));
        return step;
    }

    /// All that was read is here: the unlocks have nothing to wait for.
    Done close() override {
        if (locked_.empty()) return {};
        const mpi::BoundedCall bounded("MPI_Win_unlock");
        for (const auto &[array, rank] : locked_) {
            const MPI_Win window = windows_[static_cast<std::size_t>(array)];
            auto done = lock_all_ ? mpi::check(MPI_Win_unlock_all(window), "MPI_Win_unlock_all")
                                  : mpi::check(MPI_Win_unlock(rank, window), "MPI_Win_unlock");
            if (!done) return done;
        }
        return {};
    }

private:
    void read_carefully() {
        longest_read_ = std::min(gets_.bytes(), longest_background_read);
        gets_.set_bytes(std::min(shortest_read, longest_read_));
    }

    /// Before the first read of a source, or of an array.
    Done lock(int array, int source) {
        if (!locked_.insert({array, lock_all_ ? 0 : source}).second) return {};
        const MPI_Win window = windows_[static_cast<std::size_t>(array)];
        if (lock_all_) return mpi::check(MPI_Win_lock_all(MPI_MODE_NOCHECK, window), "MPI_Win_lock_all");
        return mpi::check(MPI_Win_lock(MPI_LOCK_SHARED, source, MPI_MODE_NOCHECK, window), "MPI_Win_lock");
    }

    Done get(const SegmentQueue::QueuedPiece &piece, const Strips &segment, std::size_t, MPI_Request &request) {
        if (auto done = lock(piece.array, piece.peer); !done) return done;
        const Spot there = spot_of(segment, source_side), here = spot_of(segment, drain_side);
        return mpi::check(MPI_Rget(piece.array_transfer->to + here.place, here.count, here.type, piece.peer,
                                   static_cast<MPI_Aint>(there.place), there.count, there.type,
                                   windows_[static_cast<std::size_t>(piece.array)], &request),
                          "MPI_Rget");
    }

    MPI_Comm comm_;
    bool lock_all_;
    Windows store_;
    Pipe gets_;
    std::int64_t longest_read_ = 0; ///< 0: all reads are as long as segments
    std::vector<Exposed> exposed_;
    std::vector<MPI_Win> windows_;         ///< of each array
    std::set<std::pair<int, int>> locked_; ///< array and source; with lock_all the array alone
};

template <bool lock_all> std::unique_ptr<Carrier> make(const TransferContext &context, const Windows &windows) {
    return std::make_unique<OneSided>(context, lock_all, windows);
}

const RegisteredMethod rma_lock(NEREUS_RMA_LOCK, make<false>);
const RegisteredMethod rma_lockall(NEREUS_RMA_LOCKALL, make<true>);

}

}
