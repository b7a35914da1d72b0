// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/background.hpp"

#include "mpi/waiting.hpp"

#include <algorithm>

namespace nereus::job {
namespace {

constexpr double least_seconds = 30e-6;       // at each checkpoint, or nothing would ever come to an end
constexpr std::int64_t least_iterations = 64; // data moves at checkpoints only: few of them in much time is no fault

}

Result<std::unique_ptr<Background>> Background::make(MPI_Comm sources, std::unique_ptr<transfer::Sending> sending,
                                                     double limit) {
    auto agreement = mpi::Comm::duplicate(sources);
    if (!agreement) return tl::unexpected(agreement.error());
    return std::unique_ptr<Background>(new Background(std::move(*agreement), std::move(sending), limit));
}

Background::Background(mpi::Comm agreement, std::unique_ptr<transfer::Sending> sending, double limit)
    : agreement_(std::move(agreement)), sending_(std::move(sending)), limit_(limit) {}

void Background::start(const News &news) {
    mine_ = sending_->start(Deadline::in(limit_, news));
    if (!mine_) say_done();
}

void Background::go_on() {
    ++iterations_;
    if (done_) return;
    // The shortest one: the others are longer for the transfer's own sake.
    shortest_iteration_ = std::min(shortest_iteration_, since_last_.seconds());
    auto done = sending_->look(std::max(least_seconds, sending_->share() * shortest_iteration_));
    if (!done) mine_ = tl::unexpected(done.error());
    if (!done || *done) say_done();
    since_last_ = {};
}

void Background::say_done() {
    if (std::exchange(done_, true)) return;
    MPI_Ibarrier(agreement_.get(), &all_done_);
}

Result<bool> Background::all_done(const News &news) {
    if (done_) {
        auto all = mpi::is_complete(all_done_, "MPI_Ibarrier");
        if (!all || *all) return all;
    }
    if (news)
        if (auto bad = news()) return tl::unexpected(*bad);
    if (watch_.seconds() > limit_ && iterations_ > least_iterations)
        return failed(NEREUS_ERR_TIMEOUT, "constant data was not sent in time");
    return false;
}

Done Background::finish(const Deadline &deadline) {
    ++iterations_; // to the checkpoint that this is
    if (!done_) mine_ = sending_->finish(deadline);
    say_done();
    MPI_Wait(&all_done_, MPI_STATUS_IGNORE); // of the sources, who all come here
    return mine_;
}

void Background::give_up() {
    sending_->give_up();
    say_done();
    MPI_Wait(&all_done_, MPI_STATUS_IGNORE);
}

}
