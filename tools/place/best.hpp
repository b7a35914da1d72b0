// SPDX-License-Identifier: BSD-3-Clause
// The cheapest mapping of all ways to find one, and what the usual ones cost.
#pragma once

#include "tools/place/question.hpp"

#include <string>

namespace nereus::place {

/// What a kind of mapping costs; nothing where it could not be made.
struct Costs {
    double packed = 0;
    double round_robin = 0;
    double random = 0; ///< the mean of some
    std::optional<double> scotch;
    double treematch = 0;
    std::optional<double> current;
};

struct Best {
    plan::mapping::Mapping mapping;
    double cost = 0;
    std::string from; ///< "packed" or "current": nothing is cheaper; "treematch", "scotch", "current_refined"
    Costs costs;
};

/// TreeMatch's and Scotch's mappings refined, and the current one where it is not far from them: the cheapest; the
/// packed or the current one as it is where none of these is cheaper.
Best best_of(const Question &question);

}
