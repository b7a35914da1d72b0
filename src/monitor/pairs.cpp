// SPDX-License-Identifier: BSD-3-Clause
#include "monitor/pairs.hpp"

#include <nlohmann/json.hpp>
#include <vector>

namespace nereus::monitor {
namespace {

using Json = nlohmann::json;

struct Communicator {
    std::vector<std::uint64_t> members;
    std::size_t own_rank = 0;
    bool has_two_sides = false;
};

/// The line that src/pmpi/members.cpp tells of it.
Communicator communicator_of(const Json &line) {
    Communicator read;
    read.own_rank = line.at("own_rank");
    read.has_two_sides = line.at("two_sides");
    for (const Json &run : line.at("members")) {
        const std::uint64_t world = run.at(0), first = run.at(1), number = run.at(2);
        const std::int64_t step = run.at(3);
        for (std::uint64_t i = 0; i < number; ++i)
            read.members.push_back(world << 32 | (first + static_cast<std::uint64_t>(step) * i));
    }
    return read;
}

std::map<std::uint32_t, Communicator> communicators(const Arena &arena) {
    std::map<std::uint32_t, Communicator> by_number;
    arena.each<Line>([&](const Line &told) {
        const Json line = Json::parse(Arena::text(told), nullptr, false);
        if (line.is_object() && line.value("event", "") == "communicator")
            by_number[line.at("communicator").get<std::uint32_t>()] = communicator_of(line);
    });
    return by_number;
}

bool is_reached(const Communicator &communicator, Reach reach, std::size_t rank) {
    if (communicator.has_two_sides) return true;
    return reach == Reach::higher ? rank > communicator.own_rank : rank != communicator.own_rank;
}

}

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
            if (is_reached(found->second, address.reach, rank)) add_to(found->second.members[rank]);
    }
    return sums;
}

}
