// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/trace_limits.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace nereus::pmpi {
namespace {

std::vector<std::string_view> parts_of(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t comma = text.find(',');
        parts.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return parts;
        text.remove_prefix(comma + 1);
    }
}

template <class T> bool read_number(std::string_view text, T &into) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    return error == std::errc{} && end == text.data() + text.size() && into >= 0;
}

/// `4` or `4-7`
template <class T> std::optional<std::pair<T, T>> range_of(std::string_view text) {
    const std::size_t dash = text.find('-', 1);
    std::pair<T, T> range{};
    const bool is_one = dash == std::string_view::npos;
    if (!read_number(text.substr(0, dash), range.first)) return std::nullopt;
    if (is_one) return std::pair(range.first, range.first);
    if (!read_number(text.substr(dash + 1), range.second) || range.second < range.first) return std::nullopt;
    return range;
}

}

bool TraceLimits::takes_rank(int rank) const {
    const auto has_it = [&](const auto &range) { return rank >= range.first && rank <= range.second; };
    return ranks.empty() || std::ranges::any_of(ranks, has_it);
}

bool read_call_names(const std::string &text, std::set<std::string> &into) {
    std::set<std::string> names;
    for (const std::string_view name : parts_of(text)) {
        if (name.empty() || name.starts_with("MPI_")) return false;
        names.emplace(name);
    }
    into = std::move(names);
    return true;
}

bool read_ranks(const std::string &text, std::vector<std::pair<int, int>> &into) {
    std::vector<std::pair<int, int>> ranges;
    for (const std::string_view part : parts_of(text)) {
        const auto range = range_of<int>(part);
        if (!range) return false;
        ranges.push_back(*range);
    }
    into = std::move(ranges);
    return true;
}

bool read_iterations(const std::string &text, std::optional<monitor::RecordingWindows::Iterations> &into) {
    const auto range = range_of<std::uint64_t>(text);
    if (range) into = {range->first, range->second};
    return range.has_value();
}

}
