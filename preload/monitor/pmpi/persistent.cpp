// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/persistent.hpp"

#include "pmpi/handle.hpp"
#include "pmpi/present.hpp"
#include "pmpi/thread.hpp"

#include <mutex>
#include <unordered_map>
#include <vector>

namespace nereus::pmpi {
namespace {

struct Requests {
    std::mutex guard;
    std::unordered_map<std::uint64_t, Moves> moves;
};

Requests &requests() {
    static auto *all = new Requests;
    return *all;
}

/// Of the requests that this thread starts now: a library may start another one in the place of one that is under way.
thread_local std::vector<MPI_Request> handles_before;

/// With the guard held.
void count(std::uint64_t request) {
    const auto found = requests().moves.find(request);
    if (found == requests().moves.end()) return;
    monitor::Shard &shard = Thread::here().shard();
    for (Move &move : found->second) {
        bring_to_present(move.address);
        shard.count(move.address, move.bytes);
    }
}

}

void remember(MPI_Request request, Moves moves) {
    const std::lock_guard lock(requests().guard);
    requests().moves[handle_word(request)] = std::move(moves);
}

void starting(int number, const MPI_Request *all) { handles_before.assign(all, all + number); }

void started(int number, const MPI_Request *all) {
    if (handles_before.size() != static_cast<std::size_t>(number)) return;
    const std::lock_guard lock(requests().guard);
    for (int i = 0; i < number; ++i) {
        const std::uint64_t before = handle_word(handles_before[static_cast<std::size_t>(i)]),
                            now = handle_word(all[i]);
        if (now != before) {
            auto moved = requests().moves.extract(before);
            if (moved) requests().moves[now] = std::move(moved.mapped());
        }
        if (on()) count(now);
    }
}

std::uint64_t bytes_started(int number, const MPI_Request *all) {
    const std::lock_guard lock(requests().guard);
    std::uint64_t bytes = 0;
    for (int i = 0; i < number; ++i) {
        const auto found = requests().moves.find(handle_word(all[i]));
        if (found == requests().moves.end()) continue;
        for (const Move &move : found->second) bytes += move.bytes;
    }
    return bytes;
}

void forget(MPI_Request request) {
    const std::lock_guard lock(requests().guard);
    requests().moves.erase(handle_word(request));
}

}
