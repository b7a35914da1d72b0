// SPDX-License-Identifier: BSD-3-Clause
#include "traffic.hpp"

#include <mpi.h>

#include <algorithm>
#include <limits>

namespace smpi {
namespace {

constexpr int tag = 1;
constexpr std::int64_t longest = std::numeric_limits<int>::max(); // of a message of MPI

using Messages = std::vector<Message>;
using Requests = std::vector<MPI_Request>;

/// What one rank does in an iteration.
struct Part {
    Messages in, out;
};

std::vector<Part> parts_of(const Traffic &traffic) {
    std::vector<Part> parts(traffic.world.host_of_rank.size());
    for (const Message &message : traffic.messages) {
        parts[static_cast<std::size_t>(message.source)].out.push_back(message);
        parts[static_cast<std::size_t>(message.destination)].in.push_back(message);
    }
    return parts;
}

/// A message of more than an int counts travels as several.
template <class Post> void post_all(const Messages &messages, Requests &requests, Post post) {
    for (const Message &message : messages)
        for (std::int64_t left = message.bytes; left > 0; left -= longest)
            post(message, static_cast<int>(std::min(left, longest)), requests.emplace_back());
}

void receive(const Messages &messages, std::byte *memory, Requests &requests) {
    post_all(messages, requests, [&](const Message &message, int bytes, MPI_Request &request) {
        MPI_Irecv(memory, bytes, MPI_BYTE, message.source, tag, MPI_COMM_WORLD, &request);
    });
}

void send(const Messages &messages, const std::byte *memory, Requests &requests) {
    post_all(messages, requests, [&](const Message &message, int bytes, MPI_Request &request) {
        MPI_Isend(memory, bytes, MPI_BYTE, message.destination, tag, MPI_COMM_WORLD, &request);
    });
}

void wait_for(Requests &requests) {
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    requests.clear();
}

void iterate(const Part &part, const Traffic &traffic, std::byte *memory) {
    Requests requests;
    receive(part.in, memory, requests);
    if (traffic.order == Order::relay) {
        wait_for(requests);
        compute(traffic.compute_seconds * static_cast<double>(part.in.size()));
    }
    send(part.out, memory, requests);
    wait_for(requests);
    if (traffic.order == Order::exchange) compute(traffic.compute_seconds);
}

}

double seconds_of(const Traffic &traffic) {
    const auto parts = parts_of(traffic);
    std::int64_t most = 1;
    for (const Message &message : traffic.messages) most = std::max(most, std::min(message.bytes, longest));
    std::byte *memory = nullptr;
    Span span;
    run(traffic.world, [&](int rank) {
        if (memory == nullptr) memory = folded_memory(most);
        meet();
        span.begins(MPI_Wtime());
        for (int i = 0; i < traffic.iterations; ++i) iterate(parts[static_cast<std::size_t>(rank)], traffic, memory);
        span.ends(MPI_Wtime());
    });
    return span.seconds();
}

}
