// SPDX-License-Identifier: BSD-3-Clause
#include "record/pairs.hpp"

#include "record/communicators.hpp"

namespace nereus::monitor {

std::map<Pair, Count> pairs(const Totals &totals, const Arena &arena) {
    const auto all = communicators(arena);
    std::map<Pair, Count> sums;
    for (const auto &[address, count] : totals) {
        if (address.kind == Kind::read || address.kind == Kind::write || address.reach == Reach::nobody) continue;
        const auto add_to = [&, &count = count, &address = address](std::uint64_t peer) {
            sums[{address.kind, address.generation, address.phase, peer}] += count;
        };
        if (address.reach == Reach::peer) {
            add_to(address.peer);
            continue;
        }
        const auto found = all.find(address.scope);
        if (found == all.end()) continue;
        for (std::size_t rank = 0; rank < found->second.members.size(); ++rank)
            if (found->second.sides.is_reached(address.reach, rank)) add_to(found->second.members[rank]);
    }
    return sums;
}

}
