// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/best.hpp"

#include "plan/mapping/refine.hpp"
#include "plan/mapping/treematch.hpp"
#include "tools/place/scotch.hpp"

namespace nereus::place {
namespace {

using plan::mapping::Mapping;
using plan::mapping::Problem;

constexpr int random_mappings = 10;
constexpr double hopeless = 1.5; // times the best cost

double cost_of(const Problem &problem, const Mapping &mapping) {
    return plan::mapping::cost(problem.tree, problem.traffic, mapping);
}

double mean_of_random(const Problem &problem, std::uint64_t seed) {
    double sum = 0;
    for (std::uint64_t i = 0; i < random_mappings; ++i) sum += cost_of(problem, random(problem, seed + i));
    return sum / random_mappings;
}

/// Takes the cheapest; the first among equals.
class Choice {
public:
    Choice(const Problem &problem, Best &best) : problem_(problem), best_(best) {}

    double take(const char *name, Mapping mapping) {
        const double costs = cost_of(problem_, mapping);
        if (best_.mapping.empty() || costs < best_.cost) {
            best_.mapping = std::move(mapping);
            best_.cost = costs;
            best_.from = name;
        }
        return costs;
    }

    /// What it costs as it is; refined it may be the best.
    double take_refined(const char *name, const Mapping &mapping) {
        take(name, plan::mapping::refined(problem_, mapping));
        return cost_of(problem_, mapping);
    }

private:
    const Problem &problem_;
    Best &best_;
};

}

Best best_of(const Question &question) {
    const Problem &problem = question.problem;
    Best best;
    Choice choice(problem, best);
    if (question.current) best.costs.current = choice.take("current", *question.current);
    best.costs.packed = choice.take("packed", packed(problem));
    best.costs.round_robin = cost_of(problem, round_robin(problem, question.host_level));
    best.costs.random = mean_of_random(problem, question.seed);
    best.costs.treematch = choice.take_refined("treematch", tree_match(problem));
    if (const auto mapping = scotch_mapping(problem)) best.costs.scotch = choice.take_refined("scotch", *mapping);
    // Swaps bring no mapping that costs much more below the best, but would take long over it.
    if (question.current && *best.costs.current < hopeless * best.cost)
        choice.take_refined("current_refined", *question.current);
    return best;
}

}
