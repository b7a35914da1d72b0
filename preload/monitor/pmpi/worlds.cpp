// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/worlds.hpp"

#include "pmpi/sensor.hpp"

#include <algorithm>
#include <numeric>

namespace nereus::pmpi {
namespace {

constexpr std::uint64_t stranger = ~std::uint64_t{0};

}

Worlds &worlds() {
    static auto *all = new Worlds;
    return *all;
}

std::uint64_t Worlds::peer(MPI_Group group, int rank) { return peers(group, {rank}).front(); }

std::vector<std::uint64_t> Worlds::peers(MPI_Group group, const std::vector<int> &ranks) {
    const std::lock_guard lock(guard_);
    if (groups_.empty()) {
        groups_.emplace_back();
        PMPI_Comm_group(own_world(), &groups_[0]);
    }
    std::vector<std::uint64_t> found(ranks.size(), stranger);
    std::vector<int> there(ranks.size());
    const auto look_in = [&](std::size_t world) {
        PMPI_Group_translate_ranks(group, static_cast<int>(ranks.size()), ranks.data(), groups_[world], there.data());
        for (std::size_t i = 0; i < ranks.size(); ++i)
            if (found[i] == stranger && there[i] != MPI_UNDEFINED)
                found[i] = std::uint64_t{world} << 32 | static_cast<std::uint32_t>(there[i]);
    };
    const auto strangers_left = [&] { return std::find(found.begin(), found.end(), stranger) != found.end(); };
    for (std::size_t world = 0; world < groups_.size() && strangers_left(); ++world) look_in(world);
    if (strangers_left()) {
        meet_strangers(group);
        look_in(groups_.size() - 1);
    }
    return found;
}

void Worlds::meet_strangers(MPI_Group group) {
    MPI_Group left = MPI_GROUP_NULL;
    PMPI_Group_difference(group, groups_[0], &left);
    for (std::size_t world = 1; world < groups_.size(); ++world) {
        MPI_Group fewer = MPI_GROUP_NULL;
        PMPI_Group_difference(left, groups_[world], &fewer);
        PMPI_Group_free(&left);
        left = fewer;
    }
    groups_.push_back(left);
}

nlohmann::ordered_json Worlds::runs(MPI_Group group, int size) {
    std::vector<int> ranks(size);
    std::iota(ranks.begin(), ranks.end(), 0);
    const std::vector<std::uint64_t> all = peers(group, ranks);
    auto runs = nlohmann::ordered_json::array();
    for (std::size_t first = 0; first < all.size();) {
        const std::uint64_t step = first + 1 < all.size() ? all[first + 1] - all[first] : 1;
        std::size_t end = first + 1;
        while (end < all.size() && all[end] - all[end - 1] == step && all[end] >> 32 == all[first] >> 32) ++end;
        runs.push_back({all[first] >> 32, all[first] & 0xffffffff, end - first,
                        end - first > 1 ? static_cast<std::int64_t>(step) : 1});
        first = end;
    }
    return runs;
}

void Worlds::clear() {
    const std::lock_guard lock(guard_);
    for (MPI_Group &group : groups_) PMPI_Group_free(&group);
    groups_.clear();
}

}
