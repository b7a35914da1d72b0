// SPDX-License-Identifier: BSD-3-Clause
// Ranges of rows that all ranks compute in about the same time, from what they took for those that they have.
//
// A rank that takes longer may have rows that cost more, or may be slower than others. Both are told by the same times;
// where rows are to go to differs. Who moves rows sees afterwards which of the two explains the new times.
#pragma once

#include "plan/cost_profile.hpp"

namespace nereus::plan {

double longest(const std::vector<double> &seconds); ///< 0 of none

/// Where the cost goes with the rows: what each rank will take for its rows between `borders`, and borders with which
/// ranks take as equal times as whole rows allow. Each rank has a row, where there are enough.
std::vector<double> expected_seconds(const CostProfile &profile, const Borders &borders);
Borders balanced(const CostProfile &profile, int ranks);

/// The same where all rows cost the same, and ranks differ.
std::vector<double> expected_seconds(const Work &work, const Borders &borders);
Borders balanced(const Work &work);

/// How much the shares of ranks in the time of all differ from what was expected, from 0 to 2: the load as a whole may
/// have changed meanwhile.
double difference_of_shares(const std::vector<double> &measured, const std::vector<double> &expected);

/// Rows that have another owner.
std::int64_t moved_rows(const Borders &before, const Borders &after);

}
