// SPDX-License-Identifier: BSD-3-Clause
// P2P: one message for each piece (Martín-Álvarez et al. 2024, section 4.3), several where a piece is very long.
#include "mpi/check.hpp"
#include "transfer/method_table.hpp"

#include <algorithm>

namespace nereus::transfer {
namespace {

constexpr int tag = 4711; // the lane is Nereus' own: pieces between two processes are told apart by their order

/// Calls post(bytes done before, bytes now) for each message of a piece of `bytes`.
template <class Post> Done in_messages(std::int64_t bytes, std::int64_t message_bytes, Post post) {
    for (std::int64_t at = 0; at < bytes; at += message_bytes)
        if (auto done = post(at, static_cast<int>(std::min(message_bytes, bytes - at))); !done) return done;
    return {};
}

Done receive_all(const Lane &lane, const Shipment &shipment, std::int64_t message_bytes, Flight &flight) {
    for (const plan::Piece &piece : shipment.move.receives) {
        std::byte *to = shipment.to + piece.strips.front().runs.front().to * shipment.extent;
        auto done = in_messages(piece.count() * shipment.extent, message_bytes, [&](std::int64_t at, int bytes) {
            return mpi::check(MPI_Irecv(to + at, bytes, MPI_BYTE, lane.rank_of_source(piece.peer), tag, lane.comm,
                                        &flight.requests.emplace_back(MPI_REQUEST_NULL)),
                              "MPI_Irecv");
        });
        if (!done) return done;
    }
    return {};
}

Done send_all(const Lane &lane, const Shipment &shipment, std::int64_t message_bytes, Flight &flight) {
    for (const plan::Piece &piece : shipment.move.sends) {
        const std::byte *from = shipment.from + piece.strips.front().runs.front().from * shipment.extent;
        auto done = in_messages(piece.count() * shipment.extent, message_bytes, [&](std::int64_t at, int bytes) {
            return mpi::check(MPI_Isend(from + at, bytes, MPI_BYTE, lane.rank_of_drain(piece.peer), tag, lane.comm,
                                        &flight.requests.emplace_back(MPI_REQUEST_NULL)),
                              "MPI_Isend");
        });
        if (!done) return done;
    }
    return {};
}

}

Done start_p2p(const Lane &lane, const std::vector<Shipment> &shipments, std::int64_t message_bytes, Flight &flight) {
    for (const Shipment &shipment : shipments)
        if (auto done = receive_all(lane, shipment, message_bytes, flight); !done) return done;
    for (const Shipment &shipment : shipments)
        if (auto done = send_all(lane, shipment, message_bytes, flight); !done) return done;
    return {};
}

}
