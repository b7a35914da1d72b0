// SPDX-License-Identifier: BSD-3-Clause
// A stage: work of one kind that an iteration repeats.
//
// In:  its line of the run file and the team that takes part (never a process outside of the team).
// Out: run(n) does n operations on this process. Stages that communicate need the same n on the whole team.
// How many operations a stage does is not known here: calibration.hpp finds out how long one lasts.
// A new type of stage is one file that registers it (stage_type.hpp), and a row of stages.toml.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "run.hpp"
#include "stage_type.hpp"
#include "team.hpp"

namespace emulator {

class Stage {
public:
    Stage() = default;
    Stage(const Stage &) = delete;
    Stage &operator=(const Stage &) = delete;
    virtual ~Stage() = default;

    virtual void run(std::int64_t operations) = 0;

    /// Ends what run() has begun and left open; part of the time of one calibrated operation.
    virtual void complete() {}

    /// What made the work impossible; from then on run() does nothing, so that the other ranks do not wait for ever.
    virtual std::optional<std::string> trouble() const { return std::nullopt; }
};

class Exchange;

/// What the stages of a phase are made from.
struct Workplace {
    std::uint64_t seed = 0; ///< of the job
    int rank = 0;           ///< of the job: streams and files differ from rank to rank
    std::size_t index = 0;  ///< of the stage, over all phases
    std::string scratch;    ///< folder for files
    std::string file_name;  ///< of a file that no other rank, stage, generation or job uses
    std::map<std::int64_t, std::shared_ptr<Exchange>> exchanges; ///< by `id`, for the wait of an ip2p
};

/// Bytes of one operation of a stage that communicates or uses files.
inline std::int64_t operation_bytes(const StageSpec &spec) { return spec.bytes > 0 ? spec.bytes : spec.granularity; }

} // namespace emulator
