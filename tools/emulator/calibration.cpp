// SPDX-License-Identifier: BSD-3-Clause
#include "calibration.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "clock.hpp"

namespace emulator {

namespace {

constexpr double window_seconds = 0.5;   // for the measurement of one stage
constexpr double warm_up_seconds = 0.05; // until caches, pages and clock rate are those of a run
constexpr double longest_batch_seconds = 0.1;
constexpr double shortest_batch_seconds = 0.001; // below, the clock and the scheduler show
constexpr double most_seconds = 0.8;             // for the measurement, where others take our core
constexpr double own_core = 0.97;   // share of a batch's time for which a core was ours, if nobody else took it
constexpr int looks_at_clock = 100; // of a capped stage in one iteration

struct Batches {
    std::int64_t operations = 1; // of each batch
    std::vector<double> seconds; // of each batch
    std::vector<double> cpu;     // seconds of the core, of each batch
    std::vector<double> alone;   // of those during which nobody else took the core
};

// The time that all who must do the same number of operations agree on.
double agreed(double seconds, const StageSpec &spec, const Team &team) {
    if (!is_local(spec)) MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, team.comm);
    return seconds;
}

double time_batch(Stage &stage, std::int64_t operations, const StageSpec &spec, const Team &team) {
    const double begin = now();
    stage.run(operations);
    stage.complete();
    return agreed(now() - begin, spec, team);
}

// Doubles the batch until it takes a good part of the wanted time; also warms up.
std::int64_t batch_size(Stage &stage, const StageSpec &spec, const Team &team, double wanted) {
    std::int64_t operations = 1;
    double spent = 0;
    while (true) {
        const double seconds = time_batch(stage, operations, spec, team);
        spent += seconds;
        const double per_operation = seconds / static_cast<double>(operations);
        const bool is_long_enough = seconds >= wanted / 4;
        if (is_long_enough && (spent >= warm_up_seconds || seconds >= warm_up_seconds))
            return operations_for(wanted, per_operation);
        if (!is_long_enough) operations *= 2;
    }
}

Batches measure(Stage &stage, const StageSpec &spec, const Team &team, double wanted) {
    Batches batches;
    batches.operations = batch_size(stage, spec, team, wanted);
    double spent = 0, spent_alone = 0;
    // Right after a resize the system may leave two ranks on one core for a while: that is not how they will run on.
    const double limit = is_compute(spec) ? most_seconds : window_seconds;
    while (spent_alone < window_seconds && spent < limit) {
        const double cpu_begin = cpu_now();
        const double seconds = time_batch(stage, batches.operations, spec, team);
        batches.cpu.push_back(cpu_now() - cpu_begin);
        batches.seconds.push_back(seconds);
        spent += seconds;
        if (batches.cpu.back() < own_core * seconds) continue;
        batches.alone.push_back(seconds);
        spent_alone += seconds;
    }
    return batches;
}

double mean_of(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// With a core for each rank, the median is not moved by a short disturbance. Where ranks take turns on a core, a batch
// ran either with or without a break: only the mean over all batches tells how fast the ranks go on, and only the time
// that they had the core how long a stage takes that ends within a turn.
double seconds_of_batch(const Batches &batches, const StageSpec &spec, const Cores &cores, double asked) {
    if (!is_compute(spec))
        return cores.are_shared() && is_local(spec) ? mean_of(batches.seconds) : median_of(batches.seconds);
    if (cores.are_shared()) return cores.leave_alone(asked) ? median_of(batches.cpu) : mean_of(batches.seconds);
    return median_of(batches.alone.empty() ? batches.seconds : batches.alone);
}

} // namespace

double asked_seconds(const StageSpec &spec, const GroupSpec &group, int rank, std::size_t index) {
    const double factor = spec.scaled ? group.factor : 1;
    const double seconds = group.times.empty() ? spec.seconds * factor : group.times[index];
    return is_compute(spec) ? seconds * group.weights[static_cast<std::size_t>(rank) % group.weights.size()] : seconds;
}

std::int64_t operations_for(double seconds, double seconds_per_operation) {
    if (seconds <= 0) return 0;
    const double most = 0x1p62; // a clock that did not move must not turn into a number that no integer holds
    const double operations = seconds_per_operation > 0 ? seconds / seconds_per_operation : most;
    return std::max<std::int64_t>(1, std::llround(std::min(operations, most)));
}

double median_of(std::span<const double> values) {
    if (values.empty()) return 0;
    std::vector<double> sorted(values.begin(), values.end());
    std::ranges::sort(sorted);
    const std::size_t half = sorted.size() / 2;
    return sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

// One operation of given bytes is done once, however long it takes; a capped one is repeated until the time is over.
bool needs_calibration(const StageSpec &spec) {
    if (is_wait(spec) || spec.seconds <= 0) return false;
    return is_compute(spec) || spec.bytes == 0;
}

StagePlan calibrate(Stage &stage, const StageSpec &spec, const Team &team, const Cores &cores, double seconds) {
    StagePlan plan;
    plan.seconds = seconds;
    if (!needs_calibration(spec)) {
        const bool is_once = is_wait(spec) || (spec.bytes > 0 && !is_compute(spec));
        plan.operations = is_once ? 1 : 0;
        return plan;
    }
    const double wanted = std::clamp(seconds, shortest_batch_seconds, longest_batch_seconds);
    const Batches batches = measure(stage, spec, team, wanted);
    const double each = seconds_of_batch(batches, spec, cores, seconds) / static_cast<double>(batches.operations);
    return planned(spec, seconds, each);
}

StagePlan planned(const StageSpec &spec, double seconds, double seconds_per_operation) {
    const double one_run = spec.capped ? seconds / looks_at_clock : seconds;
    return {operations_for(one_run, seconds_per_operation), seconds_per_operation, seconds};
}

} // namespace emulator
