// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/question.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace nereus::place {
namespace {

using plan::mapping::Mapping;
using plan::mapping::nowhere;
using plan::mapping::Problem;
using plan::mapping::Traffic;
using plan::mapping::Tree;

constexpr std::uintmax_t most_bytes = std::uintmax_t{1} << 30;

/// Throws what nlohmann::json throws where a key is missing or has another type.
struct Asked {
    explicit Asked(const nlohmann::json &file)
        : children(file.at("children")), costs(file.at("costs")), in_use(file.at("in_use")), fixed(file.at("fixed")),
          shared_by(file.at("shared_by")), host_level(file.at("host_level")), seed(file.at("seed")) {
        if (!file.at("current").is_null()) current = file.at("current").get<Mapping>();
    }
    std::vector<std::vector<int>> children;
    std::vector<double> costs;
    std::vector<int> in_use;
    std::vector<std::pair<int, int>> fixed;
    int shared_by;
    int host_level;
    std::uint64_t seed;
    std::optional<Mapping> current;
};

Result<Question> question_of(Asked asked, Traffic traffic) {
    auto tree = Tree::of(asked.children, asked.costs);
    if (!tree) return tl::unexpected(tree.error());
    if (asked.host_level < 0 || asked.host_level > tree->levels() || asked.shared_by < 1)
        return failed(NEREUS_ERR_ARGUMENT, "host_level or shared_by are not of this topology");
    if (asked.shared_by > 1) tree = tree->with_slots_shared_by(asked.shared_by);
    const auto slots = static_cast<std::size_t>(tree->slots()), ranks = static_cast<std::size_t>(traffic.ranks());
    Problem problem{*std::move(tree), std::move(traffic), std::vector<bool>(slots, false),
                    std::vector<int>(ranks, nowhere)};
    for (const int slot : asked.in_use) {
        if (slot < 0 || static_cast<std::size_t>(slot) >= slots)
            return failed(NEREUS_ERR_ARGUMENT, "slot " + std::to_string(slot) + " in use: slots 0 .. " +
                                                   std::to_string(slots - 1) + " are there");
        problem.in_use[static_cast<std::size_t>(slot)] = true;
    }
    for (const auto &[rank, slot] : asked.fixed) {
        if (rank < 0 || static_cast<std::size_t>(rank) >= ranks)
            return failed(NEREUS_ERR_ARGUMENT, "fixed rank " + std::to_string(rank) + ": ranks 0 .. " +
                                                   std::to_string(ranks - 1) + " are there");
        problem.fixed[static_cast<std::size_t>(rank)] = slot;
    }
    if (const auto good = check(problem); !good) return tl::unexpected(good.error());
    if (asked.current)
        if (const auto good = check(problem, *asked.current); !good) return tl::unexpected(good.error());
    return Question{std::move(problem), asked.host_level, std::move(asked.current), asked.seed};
}

}

Result<Question> read_question(const std::string &file, Traffic traffic) {
    std::ifstream in(file);
    std::error_code unknown;
    const std::uintmax_t bytes = std::filesystem::file_size(file, unknown);
    if (!in || unknown) return failed(NEREUS_ERR_ARGUMENT, file + ": cannot be read");
    if (bytes > most_bytes)
        return failed(NEREUS_ERR_ARGUMENT,
                      file + ": has more than " + std::to_string(most_bytes) + " bytes, which are allowed");
    try {
        return question_of(Asked(nlohmann::json::parse(in)), std::move(traffic));
    } catch (const nlohmann::json::exception &problem) {
        return failed(NEREUS_ERR_ARGUMENT, file + ": " + problem.what());
    }
}

}
