// SPDX-License-Identifier: BSD-3-Clause
// I/O phases of a job: rank 0 asks the daemon for the job's turn, and all wait for its answer. The program begins and
// ends them, or opens and closes files, of which the monitor's sensor tells.
#pragma once

#include "job/resize/job_state.hpp"

#include <nereus/nereus.h>

#include <thread>

namespace nereus::job {

class IoPhases {
public:
    /// In the thread that opens the job.
    explicit IoPhases(JobState &job) : job_(job) {}

    /// Collective. @param bytes  of this process @return NEREUS_OK or NEREUS_NO_TURN
    Result<nereus_code> begin(std::int64_t bytes);
    /// Collective.
    Done end();
    /// Collective: a phase of the library's own, which writes all that is registered.
    Done begin_saving();
    /// Collective.
    Done end_saving() { return give_turn_back(); }
    /// Whether the program has begun one and not ended it.
    bool program_is_in_one() const { return is_open_ && !is_a_file_; }

    /// Collective. From now on, in this generation, files that all processes open are phases. Also where the line to
    /// the daemon could not be opened, or not be taken over: then all do without.
    void follow_files();
    void follow_no_files() const;
    /// Collective. A file that is still open is no phase; others that are opened later are.
    void leave_files_open();

    /// Collective. Ends the one that is open, if any.
    void close();

private:
    void file_is_used(bool begins);
    bool follow_from_here();
    Result<nereus_code> acquire_turn(std::int64_t bytes);
    Result<nereus_code> wait_for_turn(std::int64_t bytes);
    nereus_code open_with(nereus_code turn);
    Done give_turn_back();

    JobState &job_;
    bool is_open_ = false;
    bool is_a_file_ = false;            ///< the program does not know of it
    nereus_code file_turn_ = NEREUS_OK; ///< what its begin would have returned
    bool follows_files_ = false;
    std::thread::id thread_ = std::this_thread::get_id();
};

}
