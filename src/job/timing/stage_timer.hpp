// SPDX-License-Identifier: BSD-3-Clause
// What one process measures of its application between two resizes: iterations, their stages, and the library's own
// time in checkpoints (include/nereus/stages.h, docs/formats/measured.md).
#pragma once

#include "base/error.hpp"
#include "job/state/spent.hpp"
#include "job/timing/durations.hpp"

#include <nereus/stages.h>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nereus::job {

class Measured {
public:
    /// Nothing is kept, but stages are checked.
    Measured() = default;

    /// From now on: the first iteration begins with its first stage, as the problem is made before it; without stages
    /// at once.
    void begin_job();
    /// The first iteration of a later generation begins.
    void begin_generation();

    Done begin_stage(const char *name, nereus_stage_kind kind, std::int64_t bytes);
    Done end_stage();

    /// An iteration ends.
    void enter_checkpoint();
    /// This checkpoint is part of a resize, whose pause its time is told in.
    void belongs_to_a_resize() { is_quiet_ = false; }
    /// The next one begins.
    void leave_checkpoint();

    bool is_on() const { return is_on_; }
    /// From now on, also where nothing else is measured.
    void time_stages() { times_stages_ = true; }
    /// Since this was asked last.
    Spent take_spent() { return std::exchange(spent_, {}); }
    /// Of this generation, as a text: `iterations`, `seconds`, `checkpoint_seconds`, `stages`.
    std::string text() const;

private:
    explicit Measured(bool times_stages) : times_stages_(times_stages) {}

    struct Stage {
        std::string name;
        nereus_stage_kind kind;
        std::int64_t bytes = 0;
        bool happened = false; ///< in this iteration
        double seconds = 0;    ///< of this iteration
        Durations durations;   ///< of iterations in which it happened
    };

    Stage *find(const char *name);
    void note_spent(nereus_stage_kind kind, double seconds);
    static nlohmann::json as_json(const Stage &stage);

    std::vector<Stage> stages_; ///< in the order in which they first began
    std::size_t next_ = 0;      ///< which of them is expected to begin
    std::optional<std::size_t> open_;
    double opened_at_ = 0;
    bool is_on_ = false;
    bool times_stages_ = false;
    Spent spent_;
    bool waits_for_stage_ = false; ///< the first iteration may not have begun
    bool is_quiet_ = true;         ///< this checkpoint
    double iteration_ = 0;         ///< when it began
    double entered_ = 0;           ///< the checkpoint
    Durations iterations_;
    Durations checkpoints_;
};

}
