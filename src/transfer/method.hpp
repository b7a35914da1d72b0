// SPDX-License-Identifier: BSD-3-Clause
// What a transfer method has to offer, and what methods have in common.
#pragma once

#include "transfer/slices.hpp"
#include "transfer/transfer.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace nereus::transfer {

enum class Step { nothing, something, all }; ///< that is done

/// Carries the bytes of one process. One that is not done must never be destroyed: MPI may use what it holds.
class Carrier {
public:
    virtual ~Carrier() = default;

    /// Collective; does not wait for data.
    virtual Done start() { return {}; }

    /// Collective and may wait for others, for at most a moment when all are there; may run in a thread beside the
    /// application. step() is not called before its end.
    virtual Done open(const Deadline &) { return {}; }
    virtual bool has_to_open() const { return false; }

    /// Starts what there is room for, and sees what has ended.
    virtual Result<Step> step() = 0;

    /// After step() gave `all` on every process: lets go of what the carrier holds.
    virtual Done close() { return {}; }
};

/// How much of a transfer is under way at a time.
struct Segments {
    std::int64_t bytes; ///< of one segment of a piece
    int under_way;      ///< of a process at a time, in each direction
};

/// The same on all processes.
Segments segments_of_sends(Strategy strategy, const Limits &limits);
/// A process that receives in the background copies little in one step, also when MPI copies in calls of others.
Segments segments_of_receives(Strategy strategy, const Limits &limits);

/// Pieces in an order in which no two processes wait for each other: in all lists of all processes, segments stand in
/// one order (first segments of all pieces, then second ones, ...; arrays; distance from source to drain; source), so
/// that the first segment that is not carried yet is the next one for both its ends.
class SegmentQueue {
public:
    struct QueuedPiece {
        const ArrayTransfer *array_transfer;
        int array;               ///< number of the array transfer
        int peer;                ///< rank in the lane
        int distance;            ///< from the source's rank to the drain's, in a ring of all ranks
        int source;              ///< rank
        std::int64_t most_bytes; ///< of a segment
        Slicer slicer;
    };

    /// @param strided_bytes  of a segment, at most, where its piece does not lie in a row on one side at least; the
    /// same
    ///                       on both sides, where these count along
    static SegmentQueue of_sends(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
                                 std::int64_t strided_bytes = INT64_MAX);
    static SegmentQueue of_receives(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers,
                                    std::int64_t strided_bytes = INT64_MAX);

    bool done() const { return pieces_.empty(); }
    /// The next segment and where it goes.
    std::pair<QueuedPiece &, Strips> next(std::int64_t bytes);
    void skip_ended();

private:
    explicit SegmentQueue(std::vector<QueuedPiece> pieces);
    std::vector<QueuedPiece> pieces_;
    std::size_t at_ = 0;
};

/// Keeps a number of a queue's segments under way.
class Pipe {
public:
    /// Of those that are under way at a time, each has a number of its own: from 0.
    using Post = std::function<Done(const SegmentQueue::QueuedPiece &, const Strips &segment, std::size_t number,
                                    MPI_Request &)>;
    using Ended = std::function<void(std::size_t number)>;

    /// @param ended  called once for each segment, when it has been carried
    Pipe(SegmentQueue queue, const Segments &segments, Post post, Ended ended = [](std::size_t) {});
    Result<Step> step();

    /// Of the segments to come; for a pipe whose other end does not count along.
    std::int64_t bytes() const { return segments_.bytes; }
    void set_bytes(std::int64_t bytes) { segments_.bytes = bytes; }

private:
    Result<int> see_what_ended();
    Done fill();

    SegmentQueue queue_;
    Segments segments_;
    Post post_;
    Ended ended_;
    std::vector<MPI_Request> requests_; ///< by number; MPI_REQUEST_NULL: none has it
};

/// Both steps in one.
inline Step together(Step a, Step b) {
    if (a == Step::all && b == Step::all) return Step::all;
    return a == Step::something || b == Step::something ? Step::something : Step::nothing;
}

/// The array transfers and the lane outlive the carrier.
struct TransferContext {
    const Lane &lane;
    const std::vector<ArrayTransfer> &array_transfers;
    Limits limits;
    Strategy strategy;
};

using MakeCarrier = std::unique_ptr<Carrier> (*)(const TransferContext &, const Windows &);

/// The file of a method has one of these, outside of all functions: by it the others find the method.
class RegisteredMethod {
public:
    RegisteredMethod(Method method, MakeCarrier make);
};

MakeCarrier registered_method(Method method);

/// Ranks on both sides of an inter-communicator, or in an intra-communicator.
int ranks_of(MPI_Comm comm);
bool is_inter(MPI_Comm comm);

}
