// SPDX-License-Identifier: BSD-3-Clause
// The second half of a resize, as a source goes through it, when the newcomers are there: their memory, the data, the
// votes, and the switch to the next generation or back (docs/reference/resize.md).
//
//     begin() -> memory, first vote -> constant data in the background, where the strategy has it so: go_on() at each
//     checkpoint -> finish(): second vote, variable data, last vote -> commit or rollback
#pragma once

#include "job/data/array_redistribution.hpp"
#include "job/data/user_redistribution.hpp"
#include "job/resize/background.hpp"
#include "job/resize/job_state.hpp"
#include "job/resize/offer.hpp"
#include "job/resize/vote.hpp"

namespace nereus::job {

/// What the newcomers of a resize bring along.
struct Company {
    process::Meeting meeting;
    std::vector<plan::World> worlds;           ///< of each; on rank 0
    std::vector<std::string> hosts;            ///< of each; on rank 0
    std::vector<process::ProcessId> processes; ///< of each; on rank 0
};

/// Collective over the sources; the newcomers go through join().
class Handover {
public:
    /// @param company    nothing when there are no newcomers
    /// @param request    how the data is to be carried and who is to go on; rank 0's counts
    /// @param news       what rank 0 hears of the newcomers
    Handover(JobState &job, const plan::Sizes &sizes, std::optional<Company> company, const Request &request,
             News news);

    /// Ends with a commit or with everything as it was, which `report` says and which is the same on all; or constant
    /// data is under way and the application goes on.
    ///
    /// @param paused  seconds that the resize has held the application up before
    /// @return whether it is over
    bool begin(nereus_resize_report &report, double paused, Departure &departure);

    /// At each checkpoint while constant data is under way.
    void go_on() { background_->go_on(); }
    /// On rank 0: whether all sources can finish(), or why the resize must be rolled back.
    Result<bool> all_sent();
    /// Ends as begin() does.
    void finish(nereus_resize_report &report, Departure &departure);
    /// While constant data is under way, for a reason that all sources know and that is nobody's failure.
    void cancel(nereus_resize_report &report, const Error &why);
    /// While constant data is under way: `why` is rank 0's, others need not know it.
    void give_up(nereus_resize_report &report, const Error &why);

    /// In the place of begin(): the newcomers are told that they are not wanted.
    void refuse(const std::string &why);

    /// Why `auto` chose as it did; empty where nothing was chosen.
    const std::string &why_chosen() const { return why_chosen_; }

private:
    void enter(const char *state);
    bool root() const { return rank_ == 0; }
    MPI_Comm sources() const { return job_.generation.control.get(); }
    const process::Meeting *meeting() const { return company_ ? &company_->meeting : nullptr; }

    Done agree_on_registry();
    Done decide_together(nereus_resize_report &report);
    bool weighs_hosts(const std::vector<std::string> &hosts_of_newcomers) const;
    std::vector<int> survivors(const std::vector<std::string> &hosts_of_newcomers,
                               const std::vector<plan::LocalSizes> &held) const;
    nlohmann::json decisions(nereus_resize_report &report);
    void order_ranks(const std::vector<std::string> &hosts_of_newcomers, nereus_resize_report &report);
    Done choose_transfer(nereus_resize_report &report);
    Done offer(const Handles &handles);
    Done get_ready(nereus_resize_report &report);
    Done hear_the_ready(const Verdict &verdict);
    bool in_background() const;
    Done start_background();
    Done finish_background(nereus_resize_report &report);
    void settle(nereus_resize_report &report, Departure &departure);
    Done send(nereus_resize_report &report);
    Done make_and_move(nereus_resize_report &report);
    Done move(nereus_resize_report &report, const News &news);
    void add_wait_for_others(nereus_resize_report &report, const Stopwatch &others) const;
    Done move_one_kind(bool constant, const News &news);
    /// While the first generation is made there is none.
    bool has_own_data() const { return has_redistributions() && job_.generation.number >= 0; }
    Deadline limit_of_all(const News &news) const;
    void tell_newcomers(const Decision &decision);
    Done agree_that_data_came(const Done &mine);
    Done verify(const Done &mine);
    Done move_own_data(const Done &mine);
    transfer::Lane lane() const;
    Done make_communicators();
    void commit(nereus_resize_report &report, Departure &departure);
    void share_report(nereus_resize_report &report, const Done &decision);
    Commit commit_for_newcomers(const nereus_resize_report &report);
    NextRoot next_root();
    void settle_the_parked(const std::vector<plan::Fate> &fates);
    void enter_next_generation();
    void part_from_newcomers();
    void abandon_data();
    void roll_back(nereus_resize_report &report, const Error &why);

    JobState &job_;
    int rank_;
    plan::Sizes sizes_;
    std::optional<Company> company_;
    Request request_;
    News news_;
    TransferChoice transfer_choice_;
    std::string why_chosen_;
    Stopwatch watch_;
    double paused_ = 0;
    const char *state_ = "ready";
    UserRedistribution own_data_;
    std::vector<plan::World> worlds_;           ///< of the next generation
    std::vector<std::string> hosts_;            ///< of the next generation
    std::vector<process::ProcessId> processes_; ///< of the next generation; on rank 0
    std::unique_ptr<ArrayRedistribution> arrays_;
    std::unique_ptr<Background> background_;
    bool data_is_there_ = false; ///< all have said so, of checksums too: nothing is on its way
    Generation next_;
    mpi::Comm lot_;
    std::int64_t least_bytes_ = 0; ///< that must move of arrays in memory of each process; on rank 0
};

/// Collective over the sources: `report` of rank 0 on all.
void share_with_sources(MPI_Comm sources, nereus_resize_report &report);

}
