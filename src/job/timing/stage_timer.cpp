// SPDX-License-Identifier: BSD-3-Clause
#include "job/timing/stage_timer.hpp"

#include "base/clock.hpp"
#include "job/state/monitor_client.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <utility>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr std::array words_of_kinds{"compute", "memory",    "p2p",   "bcast", "allgather",
                                    "reduce",  "allreduce", "write", "read"};

}

void Measured::begin_job() {
    begin_generation();
    waits_for_stage_ = true;
}

void Measured::begin_generation() {
    *this = Measured(times_stages_);
    is_on_ = true;
    iteration_ = now();
}

Measured::Stage *Measured::find(const char *name) {
    // Stages begin in the same order in each iteration, as a rule.
    for (std::size_t tried = 0; tried < stages_.size(); ++tried) {
        Stage &stage = stages_[(next_ + tried) % stages_.size()];
        if (stage.name == name) return &stage;
    }
    return nullptr;
}

Done Measured::begin_stage(const char *name, nereus_stage_kind kind, std::int64_t bytes) {
    if (open_)
        return failed(NEREUS_ERR_STATE, std::string("stage \"") + name + "\" begins in stage \"" +
                                            stages_[*open_].name + "\", which has not ended");
    Stage *stage = find(name);
    if (stage == nullptr) stage = &stages_.emplace_back(Stage{name, kind, bytes, false, 0, {}});
    if (stage->kind != kind)
        return failed(NEREUS_ERR_ARGUMENT, std::string("stage \"") + name + "\" was of another kind before");
    stage->bytes = bytes;
    open_ = static_cast<std::size_t>(stage - stages_.data());
    next_ = *open_ + 1;
    tell_monitor_state(activities::stage, name);
    if (!is_on() && !times_stages_) return {};
    opened_at_ = now();
    if (std::exchange(waits_for_stage_, false)) iteration_ = opened_at_;
    return {};
}

Done Measured::end_stage() {
    if (!open_) return failed(NEREUS_ERR_STATE, "no stage is open");
    tell_monitor_end(activities::stage);
    Stage &stage = stages_[*open_];
    const double seconds = is_on() || times_stages_ ? now() - opened_at_ : 0.0;
    note_spent(stage.kind, seconds);
    if (is_on()) {
        stage.seconds += seconds;
        stage.happened = true;
    }
    open_.reset();
    return {};
}

/// Files are in I/O phases, of which the daemon is told apart.
void Measured::note_spent(nereus_stage_kind kind, double seconds) {
    spent_.has_stages = true;
    if (kind == NEREUS_STAGE_COMPUTE || kind == NEREUS_STAGE_MEMORY)
        spent_.compute += seconds;
    else if (kind != NEREUS_STAGE_WRITE && kind != NEREUS_STAGE_READ)
        spent_.communication += seconds;
}

void Measured::enter_checkpoint() {
    if (open_) tell_monitor_end(activities::stage);
    open_.reset();
    next_ = 0;
    if (!is_on()) return;
    entered_ = now();
    waits_for_stage_ = false;
    is_quiet_ = true;
    iterations_.add(entered_ - iteration_);
    for (Stage &stage : stages_) {
        if (!stage.happened) continue;
        stage.durations.add(stage.seconds);
        stage.happened = false;
        stage.seconds = 0;
    }
}

void Measured::leave_checkpoint() {
    if (!is_on()) return;
    iteration_ = now();
    if (is_quiet_) checkpoints_.add(iteration_ - entered_);
}

json Measured::as_json(const Stage &stage) {
    return {{"name", stage.name},
            {"kind", words_of_kinds[stage.kind]},
            {"bytes", stage.bytes},
            {"iterations", stage.durations.count()},
            {"median", stage.durations.median()},
            {"total", stage.durations.sum()}};
}

std::string Measured::text() const {
    json stages = json::array();
    for (const Stage &stage : stages_) stages.push_back(as_json(stage));
    return json{{"seconds", iterations_.sum() + checkpoints_.sum()},
                {"iterations", iterations_.count()},
                {"iteration_median", iterations_.median()},
                {"iteration_total", iterations_.sum()},
                {"checkpoint_median", checkpoints_.median()},
                {"checkpoint_total", checkpoints_.sum()},
                {"stages", stages}}
        .dump(-1, ' ', false, json::error_handler_t::replace);
}

}
