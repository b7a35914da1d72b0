// SPDX-License-Identifier: BSD-3-Clause
#include "record/communicators.hpp"

#include <nlohmann/json.hpp>

namespace nereus::monitor {
namespace {

using nlohmann::json;

/// Of the line that preload/monitor/pmpi/members.cpp tells of it.
Communicator communicator_of(const json &line) {
    Communicator read;
    read.name = line.at("name");
    for (const json &run : line.at("members")) {
        const std::uint64_t world = run.at(0), first = run.at(1), number = run.at(2);
        const std::int64_t step = run.at(3);
        for (std::uint64_t i = 0; i < number; ++i)
            read.members.push_back(world << 32 | (first + static_cast<std::uint64_t>(step) * i));
    }
    read.sides = {line.at("own_rank"), read.members.size(), line.at("two_sides")};
    return read;
}

}

std::map<std::uint32_t, Communicator> communicators(const Arena &arena) {
    std::map<std::uint32_t, Communicator> by_number;
    arena.each<Line>([&](const Line &told) {
        const json line = json::parse(Arena::text(told), nullptr, false);
        if (line.is_object() && line.value("event", "") == "communicator")
            by_number[line.at("communicator").get<std::uint32_t>()] = communicator_of(line);
    });
    return by_number;
}

}
