// SPDX-License-Identifier: BSD-3-Clause
// P2P: messages for each piece (Martín-Álvarez et al. 2024, section 4.3), one for each of its segments.
#include "mpi/check.hpp"
#include "transfer/method.hpp"

namespace nereus::transfer {
namespace {

constexpr int tag = 4711; // the lane is Nereus' own: segments between two processes are told apart by their order

Done receive(MPI_Comm comm, const SegmentQueue::QueuedPiece &piece, const Strips &segment, MPI_Request &request) {
    const Spot spot = spot_of(segment, drain_side);
    return mpi::check(
        MPI_Irecv(piece.array_transfer->to + spot.place, spot.count, spot.type, piece.peer, tag, comm, &request),
        "MPI_Irecv");
}

Done send(MPI_Comm comm, const SegmentQueue::QueuedPiece &piece, const Strips &segment, MPI_Request &request) {
    const Spot spot = spot_of(segment, source_side);
    return mpi::check(
        MPI_Isend(piece.array_transfer->from + spot.place, spot.count, spot.type, piece.peer, tag, comm, &request),
        "MPI_Isend");
}

class PointToPoint : public Carrier {
public:
    explicit PointToPoint(const TransferContext &context)
        : receives_(SegmentQueue::of_receives(context.lane, context.array_transfers),
                    segments_of_receives(context.strategy, context.limits),
                    [comm = context.lane.comm](auto &...with) { return receive(comm, with...); }),
          sends_(SegmentQueue::of_sends(context.lane, context.array_transfers),
                 segments_of_sends(context.strategy, context.limits),
                 [comm = context.lane.comm](auto &...with) { return send(comm, with...); }) {}

    Result<Step> step() override {
        auto received = receives_.step();
        if (!received) return received;
        auto sent = sends_.step();
        if (!sent) return sent;
        return together(*received, *sent);
    }

private:
    Pipe receives_, sends_;
};

const RegisteredMethod p2p(NEREUS_P2P, [](const TransferContext &context, const Windows &) -> std::unique_ptr<Carrier> {
    return std::make_unique<PointToPoint>(context);
});

}

}
