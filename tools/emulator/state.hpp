// SPDX-License-Identifier: BSD-3-Clause
// What a process must know to go on with a run that others began: newcomers get it as registered values.
#pragma once

#include <cstdint>
#include <vector>

#include <nereus/nereus.h>

namespace emulator {

struct Counters {
    std::int64_t iteration = 0;       ///< done so far, over all phases
    std::int64_t phase = 0;           ///< the number of phases when all are over
    std::int64_t phase_iteration = 0; ///< done in this phase
    std::int64_t group = 0;
    std::int64_t group_iteration = 0; ///< done in this group
    std::int64_t is_asked = 0;        ///< 1: the resize into the next group is in progress
    std::int64_t idle = 0;            ///< checkpoints since it was asked for that no iteration came before
    std::int64_t request = 0;         ///< its number; commanded: that of the latest one told of
    std::int64_t ranks = 0;           ///< with which the group began
    std::int64_t token = 0;           ///< makes the names of this job's files its own
};

struct Times {
    double started_unix = 0;        ///< origin of all times in the results
    double begun = 0;               ///< when the first group began to calibrate
    double calibration_seconds = 0; ///< of all groups so far
};

struct State {
    Counters counters;
    Times times;
    std::vector<double> costs; ///< of each stage of all phases: seconds of an operation on rank 0; 0: not known

    explicit State(std::size_t stages) : costs(stages, 0.0) {}

    /// Collective; fills the state of a newcomer. @return a code of nereus_value()
    int open(nereus_job *job) {
        const int code =
            nereus_value(job, "emulator.counters", MPI_INT64_T, sizeof counters / sizeof(std::int64_t), &counters);
        if (code < 0) return code;
        const int timed = nereus_value(job, "emulator.times", MPI_DOUBLE, sizeof times / sizeof(double), &times);
        if (timed < 0) return timed;
        return nereus_value(job, "emulator.costs", MPI_DOUBLE, static_cast<std::int64_t>(costs.size()), costs.data());
    }
};

} // namespace emulator
