// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/costs.hpp"

#include "base/methods.hpp"

#include <nereus/nereus.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr const char *costs_format = "nereus-costs";
constexpr int costs_version = 1;
constexpr double most_seconds = 1e6;
constexpr std::size_t longest_file = std::size_t{1} << 20;

/// One number of a way: where it goes, and what is allowed.
struct Field {
    const char *name;
    double plan::Cost::*place;
    double least;
    double most;
};

constexpr Field fields[] = {{"fixed_seconds", &plan::Cost::fixed_seconds, 0, most_seconds},
                            {"seconds_per_array", &plan::Cost::seconds_per_array, 0, most_seconds},
                            {"seconds_per_byte", &plan::Cost::seconds_per_byte, 0, 1},
                            {"pause_seconds", &plan::Cost::pause_seconds, 0, most_seconds},
                            {"omega", &plan::Cost::omega, 1, most_seconds}};

tl::unexpected<Error> wrong(const std::string &where, const std::string &what) {
    return failed(NEREUS_ERR_SETTING, where + ": " + what);
}

std::string number_text(double number) { return json(number).dump(); }

Done read_number(const json &row, const Field &field, const std::string &where, plan::Cost &cost) {
    const auto found = row.find(field.name);
    const bool good = found != row.end() && found->is_number() && std::isfinite(found->get<double>()) &&
                      found->get<double>() >= field.least && found->get<double>() <= field.most;
    if (!good)
        return wrong(where + "." + field.name,
                     "must be a number in " + number_text(field.least) + " .. " + number_text(field.most));
    cost.*field.place = found->get<double>();
    return {};
}

/// The last of `words` is `auto`, which is nothing that costs.
Result<int> read_word(const json &row, const char *key, const std::vector<std::string> &words,
                      const std::string &where) {
    const auto found = row.find(key);
    const auto end = words.end() - 1;
    const auto word =
        found == row.end() || !found->is_string() ? end : std::find(words.begin(), end, found->get<std::string>());
    if (word != end) return static_cast<int>(word - words.begin());
    std::string allowed;
    for (auto each = words.begin(); each != end; ++each) allowed += (allowed.empty() ? "" : ", ") + *each;
    return wrong(where + "." + key, "must be one of " + allowed);
}

Result<plan::Cost> read_way(const json &row, const std::string &where) {
    if (!row.is_object()) return wrong(where, "must be an object");
    plan::Cost cost;
    auto method = read_word(row, "method", words::transfer_methods, where);
    if (!method) return tl::unexpected(method.error());
    auto strategy = read_word(row, "strategy", words::transfer_strategies, where);
    if (!strategy) return tl::unexpected(strategy.error());
    cost.way = {*method, *strategy};
    for (const Field &field : fields)
        if (auto done = read_number(row, field, where, cost); !done) return tl::unexpected(done.error());
    return cost;
}

Result<std::vector<plan::Cost>> read_ways(const json &rows) {
    std::vector<plan::Cost> ways;
    for (const json &row : rows) {
        const std::string where = "costs[" + std::to_string(ways.size()) + "]";
        auto cost = read_way(row, where);
        if (!cost) return tl::unexpected(cost.error());
        for (const plan::Cost &other : ways)
            if (other.way == cost->way) return wrong(where, "the same way is there twice");
        ways.push_back(*cost);
    }
    return ways;
}

std::string text_of_file(std::ifstream &file) {
    std::string text(longest_file + 1, '\0');
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    return text;
}

Result<plan::Costs> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) return failed(NEREUS_ERR_SETTING, "cannot be opened");
    const std::string text = text_of_file(file);
    if (text.size() > longest_file) return failed(NEREUS_ERR_SETTING, "is longer than 1 MiB");
    return read_costs(text);
}

}

Result<plan::Costs> read_costs(const std::string &text) {
    const json in = json::parse(text, nullptr, false);
    if (!in.is_object()) return failed(NEREUS_ERR_SETTING, "is no JSON object");
    if (in.value("format", json()) != costs_format)
        return wrong("format", std::string("must be \"") + costs_format + "\"");
    if (in.value("version", json()) != costs_version)
        return wrong("version", "must be " + std::to_string(costs_version));
    const json library = in.value("library", json());
    if (!library.is_string()) return wrong("library", "must be a text");
    const auto rows = in.find("costs");
    if (rows == in.end() || !rows->is_array()) return wrong("costs", "must be a list");
    auto ways = read_ways(*rows);
    if (!ways) return tl::unexpected(ways.error());
    return plan::Costs{library, std::move(*ways)};
}

Result<plan::Costs> costs_of_file(const std::string &path) {
    auto costs = read_file(path);
    if (costs) return costs;
    return failed(NEREUS_ERR_SETTING, "costs = " + path + ": " + costs.error().what +
                                          "; allowed is a file that `nereus calibrate` made, or none");
}

json as_json(const plan::Costs &costs) {
    json rows = json::array();
    for (const plan::Cost &cost : costs.ways) {
        json row = {{"method", word_of(words::transfer_methods, cost.way.method)},
                    {"strategy", word_of(words::transfer_strategies, cost.way.strategy)}};
        for (const Field &field : fields) row[field.name] = cost.*field.place;
        rows.push_back(std::move(row));
    }
    return {
        {"format", costs_format}, {"version", costs_version}, {"library", costs.library}, {"costs", std::move(rows)}};
}

}
