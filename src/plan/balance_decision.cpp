// SPDX-License-Identifier: BSD-3-Clause
#include "plan/balance_decision.hpp"

#include <algorithm>
#include <utility>

namespace nereus::plan {
namespace {

/// Of the longest time of a rank: less is noise, and worth no move.
constexpr double least_gain = 0.02;
/// Of a first move: communicators and memory; and what a core copies in a second.
constexpr double first_seconds = 0.02, bytes_per_second = 1e9;
/// Who was wrong every time must still try now and then.
constexpr double least_trust = 0.1;

}

Borders BalanceDecision::next(const Work &work, std::int64_t iterations, std::int64_t bytes_of_row) {
    learn_from(work);
    const Way way = best(work);
    const double now = longest(work.seconds), then = longest(way.seconds);
    if (way.borders == work.borders || now - then < least_gain * now) {
        lost_ = 0;
        return {};
    }
    lost_ += trust_ * (now - then) * static_cast<double>(iterations);
    if (lost_ < cost_of(bytes_of_row * moved_rows(work.borders, way.borders))) return {};
    if_rows_ = expected_seconds(*profile_, way.borders);
    if_ranks_ = expected_seconds(work, way.borders);
    before_ = now;
    after_ = then;
    return way.borders;
}

void BalanceDecision::moved(double pause) {
    lost_ = 0;
    pause_ = pause;
    is_to_learn_ = true;
}

void BalanceDecision::begins_anew() {
    lost_ = 0;
    profile_.reset();
    is_to_learn_ = false;
}

BalanceDecision::Way BalanceDecision::best(const Work &work) const {
    const auto ranks = static_cast<int>(work.seconds.size());
    Borders borders = ranks_differ_ ? balanced(work) : balanced(*profile_, ranks);
    std::vector<double> seconds =
        ranks_differ_ ? expected_seconds(work, borders) : expected_seconds(*profile_, borders);
    return {std::move(borders), std::move(seconds)};
}

/// What rows cost; and of the latest move which cause foretold better what came of it, and how much of the gain came.
void BalanceDecision::learn_from(const Work &work) {
    if (!profile_ || profile_->rows() != work.borders.back()) profile_.emplace(work.borders.back());
    profile_->learn(work);
    if (!std::exchange(is_to_learn_, false)) return;
    ranks_differ_ = difference_of_shares(work.seconds, if_ranks_) < difference_of_shares(work.seconds, if_rows_);
    const double came = (before_ - longest(work.seconds)) / (before_ - after_);
    trust_ = std::clamp((trust_ + came) / 2, least_trust, 1.0);
}

double BalanceDecision::cost_of(std::int64_t bytes) const {
    return pause_.value_or(first_seconds + static_cast<double>(bytes) / bytes_per_second);
}

}
