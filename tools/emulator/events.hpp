// SPDX-License-Identifier: BSD-3-Clause
// The lines of the result file (docs/formats/results.md) as JSON objects, without `time` and `generation`.
#pragma once

#include <string>
#include <vector>

#include <nereus/nereus.h>

#include "calibration.hpp"
#include "planned_failures.hpp"
#include "records.hpp"
#include "run.hpp"

namespace emulator {

using Json = nlohmann::ordered_json;

Json header_event(const Run &run, double started_unix);
/// `calibration_seconds`: of the job so far, here and below.
Json generation_started_event(std::int64_t group, const std::vector<std::string> &hosts, double calibration_seconds);
Json calibrated_event(std::int64_t group, std::size_t phase, std::size_t stage, const StagePlan &plan);
Json progress_event(const IterationRecord &record, std::int64_t iterations, int ranks);
Json iteration_event(const IterationRecord &record);
Json stage_totals_event(const StageTotals &totals);
Json failure_event(const FailureSpec &failure, const Dying &dying, double calibration_seconds);
/// The job continues from an epoch that was made before `iteration`.
Json resumed_event(std::int64_t iteration, std::int64_t group, int ranks, double calibration_seconds);
Json resize_asked_event(std::int64_t request, int from, int to, std::int64_t at_iteration);

/// The last `count` iterations before iteration `end`.
struct IterationRange {
    std::int64_t end = 0;
    std::int64_t count = 0;
};

/// All events of a resize that was committed, in their order; `meanwhile`: done while constant data moved.
std::vector<Json> committed_events(const nereus_resize_report &report, IterationRange meanwhile);
Json resize_undone_event(const nereus_resize_report &report);

} // namespace emulator
