// SPDX-License-Identifier: BSD-3-Clause
// How many operations of a stage last as long as the run file asks for.
//
// In:  a stage, the team, the seconds that the stage should last on this rank.
// Out: the plan of the stage. Measured on all ranks at once, in batches about as long as the stage itself, since a rank
//      alone, or short batches, see another memory bandwidth and another clock rate than the run does. Where ranks
//      share cores, computation is measured in processor time if a stage of it ends within a turn on the core: what it
//      waits for its turn, it waits before it, in the stage that communicates.
#pragma once

#include <cstdint>
#include <span>

#include "stage.hpp"

namespace emulator {

/// How a stage runs in each iteration.
struct StagePlan {
    std::int64_t operations = 0;      ///< in each iteration; capped: between two looks at the clock
    double seconds_per_operation = 0; ///< 0: not calibrated
    double seconds = 0;               ///< asked for
};

/// Who shares the processor cores of this host.
struct Cores {
    int ranks_here = 1;
    int cores = 1;
    bool are_shared() const { return ranks_here > cores; }
    /// Whether computation so long is not interrupted for others, but by chance.
    bool leave_alone(double seconds) const { return !are_shared() || seconds < one_turn; }

    static constexpr double one_turn = 0.001; // s; schedulers give turns of some milliseconds
};

/// Seconds that the stage should last on `rank`: computation is weighted, other stages are not. `index`: of the stage
/// among those of all phases.
double asked_seconds(const StageSpec &spec, const GroupSpec &group, int rank, std::size_t index);

/// Whole operations that come closest to `seconds`, at least one when time was asked for.
std::int64_t operations_for(double seconds, double seconds_per_operation);

double median_of(std::span<const double> values); ///< 0 of none

bool needs_calibration(const StageSpec &spec);

/// Collective over the team when the stage communicates, else over nobody.
StagePlan calibrate(Stage &stage, const StageSpec &spec, const Team &team, const Cores &cores, double seconds);

/// How a stage runs whose operations take that long.
StagePlan planned(const StageSpec &spec, double seconds, double seconds_per_operation);

} // namespace emulator
