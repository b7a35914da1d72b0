// SPDX-License-Identifier: BSD-3-Clause
#include "user_phase.hpp"

#include "../complaint.hpp"
#include "../rank.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace nereus::compat {
namespace {

constexpr std::size_t most_at_once = std::size_t{1} << 30; ///< bytes: MPI counts in int

int state_of(const nereus_sides &sides) {
    if (sides.source < 0) return MAM_PROC_NEW_RANK;
    return sides.drain < 0 ? MAM_PROC_ZOMBIE : MAM_PROC_CONTINUE;
}

}

void UserPhase::announce(int root, UserFunction function) {
    root_ = root;
    function_ = function;
    nereus_on_resize("mam", step, this);
}

int UserPhase::step(nereus_redistribution_step step, const nereus_sides *sides, void *context) {
    auto &phase = *static_cast<UserPhase *>(context);
    if (step == NEREUS_MOVE) return phase.move(*sides);
    if (step == NEREUS_ADOPT)
        phase.adopt(*sides);
    else
        phase.drop();
    return 0;
}

/// Collective over both sides. @return 1: some process has no memory
int UserPhase::move(const nereus_sides &sides) {
    share_table(sides);
    if (!make_room(sides.comm)) return 1;
    for (MamEntry *entry : data_.replicated()) broadcast(*entry, sides.comm);
    const double begin = MPI_Wtime();
    call_user(sides);
    seconds_ = MPI_Wtime() - begin;
    return 0;
}

void UserPhase::share_table(const nereus_sides &sides) {
    std::vector<std::int64_t> table;
    const auto words = configuration_.words();
    if (sides.source >= 0) {
        table = data_.table();
        table.insert(table.begin(), words.begin(), words.end());
    }
    auto length = static_cast<int>(table.size());
    MPI_Bcast(&length, 1, MPI_INT, root_, sides.comm);
    table.resize(static_cast<std::size_t>(length));
    MPI_Bcast(table.data(), length, MPI_INT64_T, root_, sides.comm);
    if (sides.source >= 0) return;
    configuration_.take(table.data());
    data_.take_table({table.begin() + static_cast<std::ptrdiff_t>(words.size()), table.end()});
}

bool UserPhase::make_room(MPI_Comm comm) {
    int mine = 1, all = 0;
    try {
        for (MamEntry *entry : data_.replicated()) entry->next.resize(static_cast<std::size_t>(entry->bytes()));
    } catch (const std::bad_alloc &) {
        mine = 0;
    }
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, comm);
    return all == 1;
}

void UserPhase::broadcast(MamEntry &entry, MPI_Comm comm) const {
    const std::size_t bytes = entry.next.size();
    if (rank_in(comm) == root_ && bytes > 0) std::memcpy(entry.next.data(), entry.data, bytes);
    for (std::size_t at = 0; at < bytes; at += most_at_once)
        MPI_Bcast(entry.next.data() + at, static_cast<int>(std::min(most_at_once, bytes - at)), MPI_BYTE, root_, comm);
}

/// MaM calls a function that has not resumed again at the next checkpoint; no checkpoint comes within a commit.
void UserPhase::call_user(const nereus_sides &sides) {
    info_ = {sides.sources, sides.drains, state_of(sides), sides.comm};
    running_ = true;
    resumed_ = function_.call == nullptr;
    while (!resumed_) function_.call(function_.arguments);
    running_ = false;
}

void UserPhase::adopt(const nereus_sides &sides) {
    newcomer_ = sides.source < 0;
    for (MamEntry *entry : data_.replicated()) {
        if (sides.drain < 0 || entry->next.empty()) continue;
        if (entry->data == nullptr) entry->data = std::malloc(entry->next.size());
        if (entry->data == nullptr) give_up("no memory for MaM's replicated data");
        std::memcpy(entry->data, entry->next.data(), entry->next.size());
    }
    drop();
}

void UserPhase::drop() {
    for (MamEntry *entry : data_.replicated()) entry->next = {};
}

}
