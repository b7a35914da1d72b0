// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/transfer.hpp"

#include "mpi/waiting.hpp"
#include "transfer/method_table.hpp"

#include <cstring>

namespace nereus::transfer {
namespace {

void copy_what_stays(const Shipment &shipment) {
    if (shipment.move.unchanged) return;
    for (const plan::Strip &strip : shipment.move.stays)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const plan::Run &run : strip.runs)
                std::memcpy(shipment.to + (run.to + i * strip.to_step) * shipment.extent,
                            shipment.from + (run.from + i * strip.from_step) * shipment.extent,
                            static_cast<std::size_t>(run.count * shipment.extent));
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
    for (const plan::Piece &piece : shipment.move.sends) sum += piece.count() * shipment.extent;
    return sum;
}

Done Sending::finish(const Deadline &d) { return move(m_, l_, s_, limits_.message_bytes, d); }
}
