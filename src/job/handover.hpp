// SPDX-License-Identifier: BSD-3-Clause
// The second half of a resize, as a source goes through it, when the newcomers are there: their memory, the data, the
// votes, and the switch to the next generation or back (docs/reference/resize.md).
#pragma once

#include "job/crossing.hpp"
#include "job/members.hpp"
#include "job/offer.hpp"
#include "job/vote.hpp"

namespace nereus::job {

/// What the newcomers of a resize bring along.
struct Company {
    process::Meeting meeting;
    std::vector<plan::World> worlds; ///< of each; on rank 0
    std::vector<std::string> hosts;  ///< of each; on rank 0
};

/// Collective over the sources; the newcomers go through join().
class Handover {
public:
    /// @param company  nothing when there are no newcomers
    /// @param news     what rank 0 hears of them
    Handover(Members &job, const plan::Sizes &sizes, std::optional<Company> company, News news);

    /// Ends with a commit or with everything as it was; `report` says which, and is the same on all.
    ///
    /// @param paused  seconds that the resize has held the application up before
    void run(nereus_resize_report &report, double paused, Departure &departure);

    /// In the place of run(): the newcomers are told that they are not wanted.
    void refuse(const std::string &why);

private:
    bool root() const { return rank_ == 0; }
    MPI_Comm sources() const { return job_.generation.control.get(); }
    const process::Meeting *meeting() const { return company_ ? &company_->meeting : nullptr; }
    plan::Place place() const;

    Done share_members();
    Done offer(const nereus_resize_report &report);
    Done get_ready(const nereus_resize_report &report);
    Done send(nereus_resize_report &report);
    Done make_and_move(nereus_resize_report &report);
    Done move(nereus_resize_report &report, const News &news);
    Done make_communicators();
    Done decide(const Verdict &verdict);
    void commit(nereus_resize_report &report, Departure &departure);
    void share_report(nereus_resize_report &report, const Done &decision);
    void settle_the_parked(const std::vector<plan::Fate> &fates);
    void enter_next_generation();
    void undo(nereus_resize_report &report, const Error &why);

    Members &job_;
    int rank_;
    plan::Sizes sizes_;
    std::optional<Company> company_;
    News news_;
    Stopwatch watch_;
    double paused_ = 0;
    const char *state_ = "ready";
    std::vector<plan::World> worlds_; ///< of the next generation
    std::vector<std::string> hosts_;  ///< of the next generation
    std::unique_ptr<Crossing> crossing_;
    Generation next_;
    mpi::Comm lot_;
};

/// Collective over the sources: `report` of rank 0 on all.
void share_with_sources(MPI_Comm sources, nereus_resize_report &report);

}
