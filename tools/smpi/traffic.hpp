// SPDX-License-Identifier: BSD-3-Clause
// Messages between ranks that stand where a mapping has them.
#pragma once

#include "world.hpp"

namespace smpi {

struct Message {
    int source;
    int destination;
    std::int64_t bytes;
};

/// exchange: all send and receive at once, and compute then. relay: who receives something waits for all of it,
/// computes for each message, and only then sends.
enum class Order { exchange, relay };

struct Traffic {
    World world;
    std::vector<Message> messages; ///< of an iteration; of a relay: no circle
    Order order;
    int iterations;
    double compute_seconds;
};

/// Seconds from the first rank that begins to the last that ends.
double seconds_of(const Traffic &);

}
