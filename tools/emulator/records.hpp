// SPDX-License-Identifier: BSD-3-Clause
// The times of iterations: kept by each rank, made one figure over ranks when their group ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "run.hpp"
#include "team.hpp"

namespace emulator {

struct IterationRecord {
    std::int64_t group = 0;
    std::int64_t phase = 0;
    std::int64_t iteration = 0; ///< from 0, over all phases
    double start = 0;           ///< seconds since the start of the job
    double seconds = 0;
    std::vector<double> stage_seconds;
    bool background = false;
};

/// Of the iterations of a group in one phase, those in which no resize was asked for.
struct StageTotals {
    std::int64_t group = 0;
    std::int64_t phase = 0;
    std::int64_t iterations = 0;
    std::vector<std::vector<double>> seconds; ///< for each stage: of each rank, over the iterations
};

/// One figure for the times of several ranks; 0 of none.
double capture(Capture how, std::span<const double> values);

/// What rank 0 keeps: `records` with times captured over all ranks, those of a stage over the ranks that take part.
/// Empty on other ranks. Collective, with the same number of records on all ranks.
std::vector<IterationRecord> gather_records(std::span<const IterationRecord> records, const Run &run, const Team &all);

/// What rank 0 tells of `records` for each rank, in the order of phases. Empty on other ranks. Collective, as above.
std::vector<StageTotals> gather_totals(std::span<const IterationRecord> records, const Team &all);

} // namespace emulator
