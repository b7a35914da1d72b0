// SPDX-License-Identifier: BSD-3-Clause
// One call of Scotch: ranks to places that have room for several.
#pragma once

#include "plan/mapping/problem.hpp"

#include <optional>

namespace nereus::place {

struct Places {
    plan::mapping::Tree tree;     ///< its slots are the places
    std::vector<int> room;        ///< of each place: ranks that it may have
    plan::mapping::Mapping fixed; ///< the place of each rank that must be there, or nowhere
};

/// The place that Scotch gives to each rank; some may get a few more than they have room for. Nothing where it refuses.
/// @param imbalance  by which share it may overfill a place while it looks for a better mapping
std::optional<plan::mapping::Mapping> scotch_places(const Places &places, const plan::mapping::Traffic &traffic,
                                                    double imbalance);

}
