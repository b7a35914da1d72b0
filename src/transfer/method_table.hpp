// SPDX-License-Identifier: BSD-3-Clause
// What a transfer method has to offer.
#pragma once

#include "transfer/transfer.hpp"

#include <memory>
#include <utility>

namespace nereus::transfer {

/// What is under way: requests, and what MPI may read until they are complete.
struct Flight {
    std::vector<MPI_Request> requests;
    std::vector<std::shared_ptr<void>> kept;

    template <class T> T &keep(T thing) {
        auto owner = std::make_shared<T>(std::move(thing));
        kept.push_back(owner);
        return *owner;
    }
};

/// Starts to carry all pieces of `shipments`; the flight's requests complete when they have arrived.
using Start = Done (*)(const Lane &lane, const std::vector<Shipment> &shipments, std::int64_t message_bytes, Flight &);

Done start_p2p(const Lane &, const std::vector<Shipment> &, std::int64_t message_bytes, Flight &);
Done start_collective(const Lane &, const std::vector<Shipment> &, std::int64_t message_bytes, Flight &);

Start start_of(Method method);

}
