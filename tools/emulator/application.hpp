// SPDX-License-Identifier: BSD-3-Clause
// The emulated application: iterates the phases, group after group, and asks for the resize into the next group.
//
// In:  a run, an open job. Out: the result file. Everything that newcomers need is registered with the job, so a
// process runs the same code whether it was there from the start or came in the middle.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/lines_file.hpp"
#include "clock.hpp"
#include "data.hpp"
#include "events.hpp"
#include "generation.hpp"
#include "planned_failures.hpp"
#include "state.hpp"

namespace emulator {

enum class Ending { finished, leaving };

/// Must live until nereus_close(): the job knows addresses inside of it.
class Application {
public:
    /// `failures_done`: so many of the run's failures have happened.
    Application(const Run &run, std::string results, std::size_t failures_done, nereus_job *job);

    /// Collective over the job; a newcomer goes on behind the checkpoint that made it.
    Result<Ending> run();

private:
    Result<void> begin();
    Result<void> begin_as_founder();
    Result<void> make_first_epoch();
    Result<void> begin_again(); ///< from an epoch
    void enter_group_of(int ranks);
    Result<void> fail_if_due();
    Result<Ending> loop();
    Result<Ending> finish();
    Result<void> step(); ///< one iteration, or none when all are over and only a resize is awaited
    Result<void> iterate();
    void advance();

    bool has_iterations() const { return state_.counters.phase < std::ssize(run_.phases); }
    bool is_due() const; ///< whether the resize into the next group must be asked for now
    Result<void> ask();
    Result<void> after_checkpoint(int code);
    Result<void> after_commit();
    IterationRange iterations_meanwhile(const nereus_resize_report &report) const; ///< while constant data moved
    Result<void> after_undone(const nereus_resize_report &report);
    void note_undone(const nereus_resize_report &report);
    bool is_own(const nereus_resize_report &report) const; ///< asked for by this run
    Result<void> next_group();
    Result<void> start_generation();
    Result<void> enter_phase();
    void report_calibration();
    void keep_costs();
    Result<void> flush();

    bool is_root() const { return team_of(nereus_comm(job_)).rank == 0; }
    void write(nlohmann::ordered_json event);
    tl::unexpected<Failure> library_failure(const char *call, int code) const;

    const Run &run_;
    std::string results_path_;
    nereus_job *job_;
    PlannedFailures failures_;
    State state_;
    Data data_;
    std::optional<JobClock> clock_;
    std::optional<Generation> generation_;
    nereus::LinesFile results_;
    std::vector<IterationRecord> records_;
    double last_progress_ = 0;
};

} // namespace emulator
