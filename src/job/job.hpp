// SPDX-License-Identifier: BSD-3-Clause
// The malleable job as one of its processes sees it; the C API is a thin layer on top (c_api.cpp).
#pragma once

#include "base/small_share.hpp"
#include "job/announcement_interval.hpp"
#include "job/data/matrix_rows.hpp"
#include "job/resize/resize.hpp"
#include "job/timing/result_file.hpp"
#include "job/timing/stage_timer.hpp"

#include <nereus/nereus.h>

#include <map>
#include <memory>
#include <string>
#include <thread>

namespace nereus::job {

/// What became of a wish for another size: a code of nereus_resize(), and the request's number, 0 where none was made.
struct Asked {
    nereus_code code;
    std::uint64_t number;
};

nereus_resize_options options_from(const Settings &settings);

class Job {
public:
    /// Collective: founders, or newcomers of one resize (then any error means: not wanted any more).
    static Result<std::unique_ptr<Job>> open(MPI_Comm founders, int argc, const char *const *argv, bool &newcomer);

    /// @param borders  of columns and values of a matrix, where this is no newcomer
    Done add_array(Description is, void **pointer, const nereus_memory *own_memory,
                   std::vector<std::int64_t> borders = {});
    /// @param nonzeros  in the rows of this founder
    Done add_matrix(MatrixParts parts, std::int64_t nonzeros, nereus_matrix *matrix);
    Done add_value(const Description &is, void *value);
    Done forget(const std::string &name);
    Done swap(const std::string &one, const std::string &other);

    /// On rank 0.
    Result<Asked> ask(int ranks, const nereus_resize_options &options);

    /// Collective. @param bytes  of this process @return NEREUS_OK or NEREUS_NO_TURN
    Result<nereus_code> begin_io(std::int64_t bytes);
    /// Collective.
    Done end_io();
    /// Collective. A file is to be opened, or was closed, by all processes.
    void file_io(bool begins);
    /// Collective. From now on, in this generation.
    void follow_files();

    /// @return NEREUS_GO_ON, NEREUS_RESIZED or NEREUS_LEAVE
    Result<nereus_code> checkpoint();

    /// Collective over the job, over nobody after NEREUS_LEAVE. @return NEREUS_OK or NEREUS_WOKEN
    Result<nereus_code> close();

    Measured &measured() { return measured_; }
    const JobState &state() const { return state_; }
    const Generation &generation() const { return state_.generation; }
    const nereus_resize_report &last_resize() const { return report_; }
    const std::string &message() const { return message_; }
    void say(std::string message) const { message_ = std::move(message); }
    bool leaving() const { return leaving_; }
    nereus_resize_options usual_options() const;

private:
    bool follow_from_here();
    void leave_files_open();
    Result<nereus_code> acquire_turn(std::int64_t bytes);
    Done give_turn_back();
    Done close_together();
    bool root() const { return state_.generation.control.rank() == 0; }
    Done found(MPI_Comm founders);
    Done make_founders();
    void check_that_all_is_registered(const std::string &call) const;
    void undo_for_other_entries(const std::string &what);
    Done share(Entry &entry);
    Done arrive(process::Arrival arrival);
    Done open_supervisor();
    void open_controlled();
    Done take_costs();
    Done open_record();
    Result<nereus_code> pass_checkpoint();
    Result<nereus_code> exchange_announcements();
    Done hand_in_measures();
    Done check_possible(int ranks, const nereus_resize_options &options) const;
    Done check_strategies(unsigned asked) const;
    Result<int> slots_or_fewer(int ranks, const std::vector<Host> &hosts, const nereus_resize_options &options) const;
    Announcement next_announcement();
    void hear_outside();
    void take_daemon_commands();
    std::int32_t quiet_checkpoints_before_command(std::int32_t quiet_checkpoints) const;
    void tell_daemon();
    Result<Asked> ask_from_outside(const OutsideRequest &outside);
    Result<nereus_code> act(const Announcement &announcement);
    nereus_code ended(const nereus_resize_report &report);
    void drop_requests(const Request &announced);
    void settle_added_hosts();

    struct AddedHosts {
        std::vector<Host> more;
        std::vector<Host> before; ///< the list then
    };

    JobState state_;
    std::map<std::uint64_t, AddedHosts> added_hosts_; ///< rank 0's; by requests that are not over
    Broadcast broadcast_;
    AnnouncementInterval interval_;
    std::unique_ptr<Resize> resize_; ///< that is under way
    Measured measured_;
    SmallShare hearing_; ///< of what is said from outside
    Record record_;      ///< rank 0's
    nereus_resize_report report_{};
    Departure departure_;
    bool leaving_ = false;
    bool in_io_phase_ = false;
    bool io_phase_is_a_file_ = false;   ///< the program does not know of it
    nereus_code file_turn_ = NEREUS_OK; ///< what its begin would have returned
    bool follows_files_ = false;
    std::thread::id thread_ = std::this_thread::get_id(); ///< that opened the job
    mutable std::string message_;
};

}
