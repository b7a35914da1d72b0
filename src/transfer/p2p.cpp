// SPDX-License-Identifier: BSD-3-Clause
// P2P: messages for each piece (Martín-Álvarez et al. 2024, section 4.3), one for each of its segments.
#include "mpi/check.hpp"
#include "transfer/carrier.hpp"

namespace nereus::transfer {
namespace {

constexpr int tag = 4711; // the lane is Nereus' own: segments between two processes are told apart by their order

Done receive(MPI_Comm comm, const Itinerary::Leg &leg, const Strips &segment, MPI_Request &request) {
    const Spot spot = spot_of(segment, drain_side);
    return mpi::check(MPI_Irecv(leg.shipment->to + spot.place, spot.count, spot.type, leg.peer, tag, comm, &request),
                      "MPI_Irecv");
}

Done send(MPI_Comm comm, const Itinerary::Leg &leg, const Strips &segment, MPI_Request &request) {
    const Spot spot = spot_of(segment, source_side);
    return mpi::check(MPI_Isend(leg.shipment->from + spot.place, spot.count, spot.type, leg.peer, tag, comm, &request),
                      "MPI_Isend");
}

class PointToPoint : public Carrier {
public:
    explicit PointToPoint(const Cargo &cargo)
        : receives_(Itinerary::of_receives(cargo.lane, cargo.shipments),
                    segments_of_receives(cargo.strategy, cargo.limits),
                    [comm = cargo.lane.comm](auto &...with) { return receive(comm, with...); }),
          sends_(Itinerary::of_sends(cargo.lane, cargo.shipments), segments_of_sends(cargo.strategy, cargo.limits),
                 [comm = cargo.lane.comm](auto &...with) { return send(comm, with...); }) {}

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

}

std::unique_ptr<Carrier> carry_p2p(const Cargo &cargo) { return std::make_unique<PointToPoint>(cargo); }

}
