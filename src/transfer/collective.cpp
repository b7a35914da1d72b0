// SPDX-License-Identifier: BSD-3-Clause
// COL: one all-to-all collective for each array (Martín-Álvarez et al. 2024, section 4.3: MPI_Alltoallv). Its general
// form MPI_Ialltoallw is used, since a datatype can hold 64-bit places and lengths on every MPI; the non-blocking one,
// since waiting for it can end.
#include "mpi/check.hpp"
#include "mpi/type.hpp"
#include "transfer/method_table.hpp"

namespace nereus::transfer {
namespace {

/// One side of an all-to-all: a datatype for each peer that holds the piece's place and length.
struct Side {
    std::vector<int> counts, places;
    std::vector<MPI_Datatype> types;
    std::vector<mpi::Type> owned;

    explicit Side(int peers) : counts(peers, 0), places(peers, 0), types(peers, MPI_BYTE) {}

    void add(int peer, std::int64_t offset, std::int64_t bytes) {
        owned.push_back(mpi::Type::bytes_at(offset, bytes));
        counts[peer] = 1;
        types[peer] = owned.back().get();
    }
};

int peers_in(MPI_Comm comm) {
    int inter = 0, peers = 0;
    MPI_Comm_test_inter(comm, &inter);
    if (inter != 0)
        MPI_Comm_remote_size(comm, &peers);
    else
        MPI_Comm_size(comm, &peers);
    return peers;
}

Done start_one(const Lane &lane, const Shipment &shipment, Flight &flight) {
    // MPI reads the lists until the call is complete (MPI 4.0, section 6.12.9): the flight keeps them.
    Side &out = flight.keep(Side(peers_in(lane.comm)));
    Side &in = flight.keep(Side(peers_in(lane.comm)));
    for (const plan::Piece &piece : shipment.move.sends)
        out.add(lane.rank_of_drain(piece.peer), piece.strips.front().runs.front().from * shipment.extent,
                piece.count() * shipment.extent);
    for (const plan::Piece &piece : shipment.move.receives)
        in.add(lane.rank_of_source(piece.peer), piece.strips.front().runs.front().to * shipment.extent,
               piece.count() * shipment.extent);
    return mpi::check(MPI_Ialltoallw(shipment.from, out.counts.data(), out.places.data(), out.types.data(), shipment.to,
                                     in.counts.data(), in.places.data(), in.types.data(), lane.comm,
                                     &flight.requests.emplace_back(MPI_REQUEST_NULL)),
                      "MPI_Ialltoallw");
}

}

Done start_collective(const Lane &lane, const std::vector<Shipment> &shipments, std::int64_t, Flight &flight) {
    for (const Shipment &shipment : shipments)
        if (auto done = start_one(lane, shipment, flight); !done) return done;
    return {};
}

}
