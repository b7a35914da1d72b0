// SPDX-License-Identifier: BSD-3-Clause
#include "plan/world_selection.hpp"

#include <limits>
#include <numeric>

namespace nereus::plan {
namespace {

constexpr std::size_t most_sums = 100'000'000; // two bits for each

}

LeavingWorlds::LeavingWorlds(std::vector<LeavingWorld> worlds, int leave) : worlds_(std::move(worlds)) {
    int unit = 0;
    for (const LeavingWorld &world : worlds_) unit = std::gcd(unit, world.processes);
    if (unit > 0) unit_ = unit;
    leave_ = most_ = leave / unit_;
    if (worlds_.size() + 1 > most_sums / (static_cast<std::size_t>(leave_) + 1)) return;
    search();
    while (!reached_[index(0, most_)]) --most_;
}

/// From the last world on, what each sum loses at least.
void LeavingWorlds::search() {
    constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
    reached_.assign(index(worlds_.size() + 1, 0), false);
    takes_ = reached_;
    std::vector<std::int64_t> lost(static_cast<std::size_t>(leave_) + 1, never);
    lost[0] = 0;
    reached_[index(worlds_.size(), 0)] = true;
    for (std::size_t world = worlds_.size(); world-- > 0;)
        for (int sum = leave_; sum >= 0; --sum) {
            auto &loss = lost[static_cast<std::size_t>(sum)];
            const bool can = can_leave(world, sum);
            const std::int64_t with =
                can ? lost[static_cast<std::size_t>(sum - units(world))] + worlds_[world].use : never;
            takes_[index(world, sum)] = can && with < loss;
            loss = std::min(loss, with);
            reached_[index(world, sum)] = loss != never;
        }
}

LeavingWorlds::Leaves LeavingWorlds::of_least_use() const {
    if (!searched()) return whoever_can();
    Leaves leaves;
    int left = most_;
    for (std::size_t world = 0; world < worlds_.size(); ++world) {
        leaves.push_back(takes_[index(world, left)]);
        if (leaves.back()) left -= units(world);
    }
    return leaves;
}

void LeavingWorlds::each(const std::function<bool(const Leaves &)> &visit) const {
    Leaves leaves(worlds_.size(), false);
    std::size_t world = 0;
    for (int left = most_;;) { // of which worlds from `world` on can have the sum
        for (; world < worlds_.size(); ++world) {
            leaves[world] = can_leave(world, left);
            if (leaves[world]) left -= units(world);
        }
        if (!visit(leaves)) return;
        do { // back to the last world that leaves and need not
            if (world == 0) return;
            --world;
            if (leaves[world]) left += units(world);
        } while (!leaves[world] || !reached_[index(world + 1, left)]);
        leaves[world++] = false;
    }
}

bool LeavingWorlds::can_leave(std::size_t world, int left) const {
    return left >= units(world) && reached_[index(world + 1, left - units(world))];
}

LeavingWorlds::Leaves LeavingWorlds::whoever_can() const {
    Leaves leaves;
    int left = leave_;
    for (std::size_t world = 0; world < worlds_.size(); ++world) {
        leaves.push_back(units(world) <= left);
        if (leaves.back()) left -= units(world);
    }
    return leaves;
}

}
