// SPDX-License-Identifier: BSD-3-Clause
#include "plan/cost_model.hpp"

#include "base/methods.hpp"

#include <algorithm>
#include <cstdio>

namespace nereus::plan {
namespace {

struct Expected {
    Way way;
    double seconds;
    double lost;
};

const Cost *find(const Costs &costs, const Way &way) {
    const auto found = std::find_if(costs.ways.begin(), costs.ways.end(), [&](const Cost &c) { return c.way == way; });
    return found == costs.ways.end() ? nullptr : &*found;
}

/// Without constant data nothing is in the background, and every strategy is the same.
std::optional<Expected> expect(const Costs &costs, const Demand &demand, const Way &way) {
    const Cost *blocking = find(costs, {way.method, 0});
    const Cost *own = demand.constant.arrays == 0 ? blocking : find(costs, way);
    if (blocking == nullptr || own == nullptr) return std::nullopt;
    const double constant = own->seconds(demand.constant);
    const double variable = blocking->seconds(demand.variable);
    const double share = own->way.in_background() ? 1 - 1 / own->omega : 1;
    return Expected{way, constant + variable, own->pause_seconds + variable + share * constant};
}

bool loses_less(const Expected &a, const Expected &b) { return a.lost < b.lost; }

std::string text_of(double seconds) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2g s", seconds);
    return text;
}

std::string name_of(const Way &way) { return words_of_transfer(way.method, way.strategy); }

/// @param all  not empty, in the order of their losses
std::string why(const std::vector<Expected> &all) {
    const std::string lost = "the application was expected to lose " + text_of(all[0].lost);
    if (all.size() == 1) return lost + ", and no other way was possible";
    return lost + ", with the next best, " + name_of(all[1].way) + ", " + text_of(all[1].lost);
}

}

double Cost::seconds(const Load &load) const {
    if (load.arrays == 0) return 0;
    return fixed_seconds + seconds_per_array * load.arrays + seconds_per_byte * static_cast<double>(load.bytes);
}

std::optional<Choice> choose(const Costs &costs, const Demand &demand) {
    std::vector<Expected> all;
    for (const Way &way : demand.candidates)
        if (auto expected = expect(costs, demand, way)) all.push_back(*expected);
    if (all.empty()) return std::nullopt;
    std::stable_sort(all.begin(), all.end(), loses_less);
    return Choice{all[0].way, all[0].seconds, all[0].lost, why(all)};
}

}
