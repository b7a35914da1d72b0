// SPDX-License-Identifier: BSD-3-Clause
// The stages of one group, built and calibrated for its ranks.
//
// Stages are made phase by phase, when the group comes to it: a group pays only for phases that it iterates, and the
// memory of one phase's stages is free before that of the next is taken.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "calibration.hpp"
#include "records.hpp"
#include "run.hpp"
#include "stage.hpp"

namespace emulator {

/// The hosts of a team's ranks, and the cores of this one. Made collectively.
struct Hosts {
    explicit Hosts(const Team &all);
    std::vector<std::string> names; ///< of each rank's host
    Cores cores;
};

class Generation {
public:
    /// `file_prefix`: a name for files that no other job or generation uses. `costs`: of each stage of all phases the
    /// seconds of an operation, which are not measured again where it computes; 0 or missing: not known.
    Generation(const Run &run, std::size_t group, const Team &all, std::string file_prefix,
               std::span<const double> costs);

    /// Builds and calibrates the stages of a phase. Collective.
    Result<void> enter_phase(std::size_t phase);

    /// One iteration of the phase: its times on this rank. Collective.
    Result<IterationRecord> iterate();

    const Team &all() const { return all_; }
    const Hosts &hosts() const { return hosts_; }
    std::optional<std::size_t> phase() const { return phase_; }
    const StagePlan &plan(std::size_t stage) const { return stations_[stage].plan; }
    std::size_t first_stage(std::size_t phase) const; ///< its index among those of all phases

private:
    /// A stage with all that it needs to run; `stage` is empty on ranks that take no part.
    struct Station {
        const StageSpec *spec;
        FirstRanks ranks;
        std::unique_ptr<Stage> stage;
        StagePlan plan;
        double ahead = 0; ///< seconds of the core that a capped computation has taken too much so far
        std::string name; ///< for people: `2 matrix`
    };

    void build(std::size_t phase);
    Workplace workplace() const;
    void calibrate_all();
    double known_cost(const Station &station, std::size_t index, double seconds) const;
    double cost_of_like(const Station &station, double seconds) const;
    void execute(Station &station);
    void run_padded(Stage &stage, double seconds);
    void note_between(double begin); ///< of an iteration
    void note_spent(const Station &station, double seconds);
    std::optional<std::string> trouble() const;
    void meet() const; ///< the barrier that the run file may ask for

    const Run &run_;
    const GroupSpec &group_;
    Team all_;
    Hosts hosts_;
    std::string file_prefix_;
    std::span<const double> costs_;
    std::optional<std::size_t> phase_;
    bool has_files_ = false;
    std::vector<Station> stations_;
    double padded_seconds_ = 0; ///< of an iteration, in stages that are padded
    double ahead_ = 0;          ///< seconds that all stages together took longer than asked for
    double last_stage_end_ = 0;
};

} // namespace emulator
