// SPDX-License-Identifier: BSD-3-Clause
// One resize, all or nothing, as a source goes through it (docs/reference/resize.md).
//
//     asked -> making -> ready -> sending -> committing -> next generation
//                \__________\________\___________\______> rolled back: nothing has changed
//
// The newcomers are made within begin(), or while the application iterates, and so is constant data sent: then rank 0
// looks at each checkpoint what all are to do at the next one, and all follow. What comes after "ready" is in
// handover.hpp.
#pragma once

#include "job/resize/handover.hpp"
#include "job/resize/newcomers.hpp"

#include <future>

namespace nereus::job {

class Resize {
public:
    /// What became of it, the same on all sources; nothing while it goes on.
    using Ended = std::optional<nereus_resize_report>;

    Resize(JobState &job, const Request &request);

    /// Collective. @param at_once  the application is not to iterate meanwhile
    Ended begin(bool at_once, Departure &departure);

    /// Collective: what rank 0's look() said.
    Ended follow(Step step, Departure &departure);

    /// On each source at each checkpoint at which nothing is to be followed.
    void go_on();

    /// On rank 0, between two checkpoints of a resize that goes on.
    Step look();

    /// Whether constant data is on its way.
    bool sends_data() const { return handover_ != nullptr; }

    std::string why_chosen() const { return handover_ ? handover_->why_chosen() : ""; }

    /// Collective: rolled back.
    nereus_resize_report cancel(const Error &why);

private:
    using Met = Result<process::Meeting>;

    bool root() const { return rank_ == 0; }
    bool has(unsigned strategy) const { return (wanted_.strategies & strategy) != 0; }
    MPI_Comm sources() const { return job_.generation.control.get(); }

    Done gather_traffic();
    Result<bool> is_worth_it();
    Done choose();
    bool in_background() const;
    Met make_at_once();
    Done prepare_on_root();
    Done start_in_background();
    Met connect();
    Ended after(Met met, Departure &departure);
    Ended hand_over(std::optional<process::Meeting> meeting, Departure &departure);
    std::unique_ptr<Handover> handover_to(std::optional<process::Meeting> meeting);
    nereus_resize_report unchanged();
    nereus_resize_report over();
    Step look_at_data();
    nereus_resize_report rolled_back(const Error &why);
    News news();
    Deadline limit();

    JobState &job_;
    Request request_;
    int rank_;
    plan::Sizes sizes_;
    nereus_resize_report report_{};
    Stopwatch since_begin_;
    Stopwatch act_;
    double paused_ = 0; ///< in acts that are over
    process::Wanted wanted_;
    std::vector<plan::World> worlds_; ///< of the newcomers; on rank 0
    std::unique_ptr<process::Starter> starter_;
    mpi::Comm lane_; ///< of the sources, for the thread
    std::unique_ptr<process::Making> making_;
    std::optional<Deadline> limit_;
    std::future<Done> beginning_; ///< rank 0
    std::future<Met> meeting_;
    std::unique_ptr<Handover> handover_; ///< from "ready" on
    std::optional<Error> failure_;       ///< rank 0
    double connected_at_ = 0;
};

/// Collective over the newcomers of one resize; returns after the commit with all data in place.
Result<nereus_resize_report> join(JobState &job, process::Arrival arrival);

}
