// SPDX-License-Identifier: BSD-3-Clause
// The malleable job as one of its processes sees it; the C API is a thin layer on top (c_api.cpp).
#pragma once

#include "job/resize.hpp"

#include <nereus/nereus.h>

#include <memory>
#include <string>

namespace nereus::job {

class Job {
public:
    /// Collective: founders, or newcomers of one resize (NEREUS_ERR_TIMEOUT and others: not wanted any more).
    static Result<std::unique_ptr<Job>> open(MPI_Comm founders, int argc, const char *const *argv);

    Done add_array(const Description &is, void **pointer, const nereus_memory *own_memory);
    Done add_value(const Description &is, void *value);

    Result<std::uint64_t> request(int ranks, const nereus_resize_options &options);
    bool has_requests() const { return !members_.requests.empty(); }

    /// @return NEREUS_GO_ON, NEREUS_RESIZED or NEREUS_LEAVE
    Result<nereus_code> checkpoint();

    /// Collective over the job, over nobody after NEREUS_LEAVE.
    void close();

    const Members &members() const { return members_; }
    const Generation &generation() const { return members_.generation; }
    const nereus_resize_report &last_resize() const { return report_; }
    const std::string &message() const { return message_; }
    void say(std::string message) const { message_ = std::move(message); }
    bool leaving() const { return leaving_; }
    nereus_resize_options usual_options() const;

private:
    Done found(MPI_Comm founders);
    Done arrive(MPI_Comm link);
    nereus_code carry_out(const Request &request);

    Members members_;
    Announcement announcement_;
    nereus_resize_report report_{};
    Departure departure_;
    bool leaving_ = false;
    mutable std::string message_;
};

/// "resize 7 from 4 to 6 processes was undone while making: ..."
std::string sentence(const nereus_resize_report &report);

}
