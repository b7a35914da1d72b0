// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/persistent.hpp"

#include "pmpi/handle.hpp"
#include "pmpi/present.hpp"
#include "pmpi/thread.hpp"

#include <mutex>
#include <unordered_map>

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

}

void remember(MPI_Request request, Moves moves) {
    const std::lock_guard lock(requests().guard);
    requests().moves[handle_word(request)] = std::move(moves);
}

void started(MPI_Request request) {
    const std::lock_guard lock(requests().guard);
    const auto found = requests().moves.find(handle_word(request));
    if (found == requests().moves.end()) return;
    monitor::Shard &shard = Thread::here().shard();
    for (Move &move : found->second) {
        bring_to_present(move.address);
        shard.count(move.address, move.bytes);
    }
}

void started(int number, const MPI_Request *all) {
    for (int i = 0; i < number; ++i) started(all[i]);
}

void forget(MPI_Request request) {
    const std::lock_guard lock(requests().guard);
    requests().moves.erase(handle_word(request));
}

}
