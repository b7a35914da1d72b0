// SPDX-License-Identifier: BSD-3-Clause
// The malleable job as one of its processes sees it; the C API is a thin layer on top (c_api.cpp).
#pragma once

#include "job/announcement_interval.hpp"
#include "job/balancing.hpp"
#include "job/io_phases.hpp"
#include "job/registered_data.hpp"
#include "job/resize/resize.hpp"
#include "job/resize_requests.hpp"
#include "job/restart.hpp"
#include "job/save_requests.hpp"
#include "job/saving/epoch_copies.hpp"
#include "job/timing/result_file.hpp"
#include "job/timing/stage_timer.hpp"

#include <nereus/nereus.h>

#include <memory>
#include <string>

namespace nereus::job {

class Job {
public:
    /// Collective: founders, or newcomers of one resize (then any error means: not wanted any more).
    static Result<std::unique_ptr<Job>> open(MPI_Comm founders, int argc, const char *const *argv, bool &newcomer);

    /// @return NEREUS_GO_ON, NEREUS_RESIZED or NEREUS_LEAVE
    Result<nereus_code> checkpoint();

    /// Collective over the job, over nobody after NEREUS_LEAVE. @return NEREUS_OK or NEREUS_WOKEN
    Result<nereus_code> close();

    RegisteredData &data() { return data_; }
    /// As change_distribution().
    Result<nereus_code> distribute(const std::string &name, const Result<plan::Shape> &wanted);
    IoPhases &io() { return io_; }
    /// On rank 0.
    ResizeRequests &requests() { return requests_; }
    /// On rank 0.
    SaveRequests &saves() { return saves_; }
    Measured &measured() { return measured_; }
    /// Floating-point operations of an iteration, of all processes together. On others than rank 0 nothing.
    void has_operations(double operations) {
        if (state_.daemon_client) state_.daemon_client->has_operations(operations);
    }
    const JobState &state() const { return state_; }
    const Generation &generation() const { return state_.generation; }
    const nereus_resize_report &last_resize() const { return report_; }
    const std::string &message() const { return message_; }
    void say(std::string message) const { message_ = std::move(message); }
    bool leaving() const { return leaving_ != Leaving::no; }

private:
    enum class Leaving {
        no,
        by_resize,  ///< the job goes on without this process
        by_stop,    ///< all leave: the job is to be continued from the epoch that was saved
        by_restart, ///< all leave, and the supervisor starts others: to those outside this is one job
    };

    bool root() const { return state_.generation.control.rank() == 0; }
    Done found(MPI_Comm founders);
    Done make_founders();
    Done arrive(process::Arrival arrival);
    Done open_supervisor();
    void open_daemon_client();
    Done take_costs();
    Done open_record();
    Done prepare_epochs();
    void undo_for_other_data(const std::string &why);
    Result<nereus_code> pass_checkpoint();
    Result<nereus_code> exchange_announcements();
    Announcement next_announcement();
    Result<nereus_code> act(const Announcement &announcement);
    Result<nereus_code> save(const Request &request);
    Destination destination_of(const Request &request);
    Result<nereus_code> restart(const Request &request);
    void begin_resize(const Request &request);
    nereus_code ended(const nereus_resize_report &report);
    Done hand_in_measures();
    void tell_daemon();
    JobState state_;
    RegisteredData data_{state_, [this](const std::string &why) { undo_for_other_data(why); }};
    IoPhases io_{state_};
    ResizeRequests requests_{state_};
    SaveRequests saves_{state_};
    Broadcast broadcast_;
    AnnouncementInterval interval_;
    Balancing balancing_;
    std::unique_ptr<Resize> resize_; ///< that is under way
    Measured measured_;
    Record record_; ///< rank 0's
    nereus_resize_report report_{};
    Departure departure_;
    EpochCopies copies_;       ///< of epochs in memory of one host
    ConstantPieces constants_; ///< of those of several
    Leaving leaving_ = Leaving::no;
    std::optional<RestartRecord> restarted_; ///< by which the founders came, until the job is open
    mutable std::string message_;
};

}
