// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/transfer.hpp"

#include "mpi/waiting.hpp"
#include "transfer/method_table.hpp"

#include <cstring>

namespace nereus::transfer {
namespace {

void copy_what_stays(const Shipment &shipment) {
    if (shipment.move.unchanged || shipment.move.stays.empty()) return;
    std::memcpy(shipment.incoming(shipment.move.stays), shipment.outgoing(shipment.move.stays),
                static_cast<std::size_t>(shipment.bytes(shipment.move.stays)));
}

}

Start start_of(Method method) { return method == Method::p2p ? start_p2p : start_collective; }

Done move(Method method, const Lane &lane, const std::vector<Shipment> &shipments, std::int64_t message_bytes,
          const Deadline &deadline) {
    Flight flight;
    if (auto done = start_of(method)(lane, shipments, message_bytes, flight); !done) return done;
    for (const Shipment &shipment : shipments) copy_what_stays(shipment);
    return mpi::complete_all(flight.requests, deadline, "moving data");
}

std::int64_t bytes_sent(const Shipment &shipment) {
    std::int64_t sum = 0;
    for (const plan::Piece &piece : shipment.move.sends) sum += shipment.bytes(piece.elements);
    return sum;
}

}
