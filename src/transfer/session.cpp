// SPDX-License-Identifier: BSD-3-Clause
// The strategies: who waits for what a carrier does (Martín-Álvarez et al. 2024, section 4.2; 2025, section 4.3).
#include "base/cores.hpp"
#include "base/methods.hpp"
#include "mpi/check.hpp"
#include "mpi/threads.hpp"
#include "mpi/waiting.hpp"
#include "transfer/method.hpp"
#include "transfer/task.hpp"
#include "transfer/throttle.hpp"

#include <algorithm>

namespace nereus::transfer {
namespace {

Done refusal(Method method, Strategy strategy, MPI_Comm comm) {
    const int process_method = is_inter(comm) ? NEREUS_BASELINE_INTER : NEREUS_BASELINE_INTRA;
    if (auto done = check_transfer(process_method, method, strategy); !done) return done;
    if (strategy == NEREUS_THREAD && !mpi::threads_are_allowed())
        return failed(NEREUS_ERR_UNSUPPORTED, "a transfer in a thread needs MPI_THREAD_MULTIPLE");
    return {};
}

bool is_source(const std::vector<ArrayTransfer> &array_transfers) {
    return std::any_of(array_transfers.begin(), array_transfers.end(),
                       [](const ArrayTransfer &one) { return one.from != nullptr; });
}

/// What a process keeps of its old parts, copied little by little.
class Stays {
public:
    explicit Stays(const std::vector<ArrayTransfer> &array_transfers) {
        for (const ArrayTransfer &array_transfer : array_transfers)
            if (!array_transfer.move.unchanged)
                parts_.push_back({&array_transfer, Slicer(in_bytes(array_transfer.move.stays, array_transfer.extent))});
    }

    Step step() {
        while (!parts_.empty() && parts_.back().slicer.done()) parts_.pop_back();
        if (parts_.empty()) return Step::all;
        const ArrayTransfer &array_transfer = *parts_.back().array_transfer;
        copy(parts_.back().slicer.take(bytes_at_once), array_transfer.from, array_transfer.to);
        return Step::something;
    }

private:
    static constexpr std::int64_t bytes_at_once = std::int64_t{1} << 17;
    struct Part {
        const ArrayTransfer *array_transfer;
        Slicer slicer;
    };
    std::vector<Part> parts_;
};

// Where ranks outnumber cores, who works while others iterate takes a share of a core only: with 1/4 each of two drains
// slows two iterating sources on two cores by half, since MPI lets sources copy too. A thread has company in its own
// process. One-sided methods are for applications that must not be disturbed: their work is the same, spread over more
// iterations; so is the one long wait while windows are made.
constexpr double almost_alone = 0.9;

double usual_share(Method method, const BackgroundShares &shares) {
    return is_one_sided(method) ? shares.one_sided : shares.two_sided;
}

int busy_on_host(Strategy strategy, const Limits &limits) {
    return limits.ranks_on_host * (strategy == NEREUS_THREAD ? 2 : 1);
}

/// Of a core, for a process with nothing else to do, or for a thread.
double share_of_core(Method method, Strategy strategy, const Limits &limits) {
    const bool crowded = busy_on_host(strategy, limits) > usable_cores();
    if (strategy == NEREUS_THREAD) return crowded ? limits.shares.thread : almost_alone;
    return !crowded || strategy == NEREUS_BLOCKING ? 1 : usual_share(method, limits.shares);
}

/// Of an iteration: while ranks wait for a core, what one of them does costs all who share it.
double share_of_iteration(Method method, const Limits &limits) {
    return usual_share(method, limits.shares) *
           std::min(1.0, static_cast<double>(usable_cores()) / limits.ranks_on_host);
}

Done given_up() { return failed(NEREUS_ERR_STATE, "the transfer was given up"); }

enum class Phase { made, opening, carrying, closing, done };

}

struct Sending::State {
    Strategy strategy;
    Lane lane;
    std::vector<ArrayTransfer> array_transfers;
    std::unique_ptr<Carrier> carrier;
    Stays stays;
    Done refused;
    bool ends_together;
    double share_of_iteration; ///< that a look may take
    double share;              ///< of a core, while others iterate
    double share_in_a_hurry;   ///< of an iteration
    double polite_seconds;
    Stopwatch since_start;
    Phase phase = Phase::made;
    MPI_Request barrier = MPI_REQUEST_NULL;
    Task task; ///< last: ends before what it works with

    State(Method method, Strategy how, Lane over, std::vector<ArrayTransfer> arrays, const Limits &limits,
          Windows &windows)
        : strategy(how), lane(std::move(over)), array_transfers(std::move(arrays)),
          carrier(registered_method(method)({lane, array_transfers, limits, how}, windows)), stays(array_transfers),
          refused(refusal(method, how, lane.comm)), ends_together(how == NEREUS_WAIT_DRAINS || is_one_sided(method)),
          share_of_iteration(transfer::share_of_iteration(method, limits)),
          share(is_source(array_transfers) && how != NEREUS_THREAD ? 1 : share_of_core(method, how, limits)),
          share_in_a_hurry(std::max(share_of_iteration, limits.shares.two_sided)),
          polite_seconds(limits.polite_seconds) {}

    bool is_in_a_hurry() const { return since_start.seconds() > polite_seconds; }

    double share_of_look() const { return is_in_a_hurry() ? share_in_a_hurry : share_of_iteration; }

    /// Whether MPI, or the thread, may still use what is in here.
    bool is_under_way() const {
        if (strategy == NEREUS_THREAD) return task.runs() || (task.has_ended() && !task.result());
        return phase != Phase::made && phase != Phase::done;
    }

    Done open(const Deadline &deadline) {
        if (phase != Phase::opening) return {};
        auto done = carrier->open(deadline);
        if (done) phase = Phase::carrying;
        return done;
    }

    Result<Step> step() {
        switch (phase) {
        case Phase::made:
            return failed(NEREUS_ERR_STATE, "the transfer was not started");
        case Phase::opening:
            return see_whether_open();
        case Phase::carrying:
            return carry();
        case Phase::closing:
            return see_whether_all_are_done();
        case Phase::done:
            break;
        }
        return Step::all;
    }

    Result<Step> see_whether_open() {
        if (!task.has_ended()) return Step::nothing;
        if (!task.result()) return tl::unexpected(task.result().error());
        phase = Phase::carrying;
        return Step::something;
    }

    Result<Step> carry() {
        auto carried = carrier->step();
        if (!carried) return carried;
        const Step both = together(*carried, stays.step());
        if (both != Step::all) return both;
        phase = ends_together ? Phase::closing : Phase::done;
        if (phase == Phase::done) return Step::all;
        auto done = mpi::check(MPI_Ibarrier(lane.comm, &barrier), "MPI_Ibarrier");
        if (!done) return tl::unexpected(done.error());
        return Step::something;
    }

    Result<Step> see_whether_all_are_done() {
        int all = 0;
        auto done = mpi::check(MPI_Test(&barrier, &all, MPI_STATUS_IGNORE), "MPI_Ibarrier");
        if (done && all != 0) done = carrier->close();
        if (!done) return tl::unexpected(done.error());
        if (all == 0) return Step::nothing;
        phase = Phase::done;
        return Step::all;
    }

    /// The blocking form.
    Done work(const Deadline &deadline) {
        if (auto done = open(deadline); !done) return done;
        for (Throttle throttle(share);;) {
            if (is_in_a_hurry()) throttle.hurry();
            auto step_done = step();
            if (!step_done) return tl::unexpected(step_done.error());
            if (*step_done == Step::all) return {};
            if (auto why = deadline.over("moving data")) return tl::unexpected(*why);
            *step_done == Step::something ? throttle.after_work() : throttle.after_nothing();
        }
    }

    /// Looking at the deadline may mean to look at messages, which is no less work than the task's.
    Done wait_for_task(const Deadline &deadline) {
        for (Throttle throttle(share); !task.has_ended(); throttle.after_nothing())
            if (auto why = deadline.over("moving data")) return tl::unexpected(*why);
        return task.result();
    }

    Done start(const Deadline &deadline) {
        if (!refused) return refused;
        since_start = {};
        if (auto done = carrier->start(); !done) return done;
        phase = carrier->has_to_open() ? Phase::opening : Phase::carrying;
        if (strategy == NEREUS_THREAD)
            task.start([this](const Deadline &until) { return work(until); });
        else if (phase == Phase::opening && strategy != NEREUS_BLOCKING)
            return open_beside_the_application(deadline);
        return {};
    }

    /// Making windows waits for all others.
    Done open_beside_the_application(const Deadline &deadline) {
        if (!mpi::threads_are_allowed()) return open(deadline);
        task.start([this](const Deadline &until) { return carrier->open(until); });
        return {};
    }

    Result<bool> look(double seconds) {
        if (strategy == NEREUS_THREAD) {
            if (!task.has_ended()) return false;
            if (!task.result()) return tl::unexpected(task.result().error());
            return true;
        }
        if (strategy == NEREUS_BLOCKING && phase == Phase::opening) return false;
        int found_nothing = 0;
        for (const Stopwatch watch;;) {
            auto done = step();
            if (!done) return tl::unexpected(done.error());
            if (*done == Step::all) return true;
            found_nothing = *done == Step::nothing ? found_nothing + 1 : 0;
            if (found_nothing == mpi::times_to_ask) return false;
            // A step that found nothing may have moved a neighbour's large message: then the time is over at once.
            if (found_nothing == 0 && watch.seconds() >= seconds) return false;
        }
    }

    Done finish(const Deadline &deadline) {
        return strategy == NEREUS_THREAD ? wait_for_task(deadline) : work_on(deadline);
    }

    /// Windows may be on their way in the task.
    Done work_on(const Deadline &deadline) {
        while (task.runs()) {
            if (auto why = deadline.over("making windows")) return tl::unexpected(*why);
            mpi::rest();
        }
        if (phase == Phase::opening && task.has_ended())
            if (auto opened = see_whether_open(); !opened) return tl::unexpected(opened.error());
        return work(deadline);
    }
};

Sending::Sending(Method method, Strategy strategy, Lane lane, std::vector<ArrayTransfer> array_transfers, Limits limits,
                 Windows &windows)
    : state_(std::make_unique<State>(method, strategy, std::move(lane), std::move(array_transfers), limits, windows)) {}

Sending::Sending(Sending &&) noexcept = default;

Sending &Sending::operator=(Sending &&other) noexcept {
    if (this == &other) return *this;
    give_up();
    state_ = std::move(other.state_);
    return *this;
}

Sending::~Sending() { give_up(); }

Done Sending::start(const Deadline &deadline) {
    auto done = state_ ? state_->start(deadline) : given_up();
    if (!done) give_up();
    return done;
}

double Sending::share() const { return state_ ? state_->share_of_look() : 1; }

Result<bool> Sending::look(double seconds) {
    if (!state_) return tl::unexpected(given_up().error());
    auto done = state_->look(seconds);
    if (!done) give_up();
    return done;
}

Done Sending::finish(const Deadline &deadline) {
    auto done = state_ ? state_->finish(deadline) : given_up();
    if (!done) give_up();
    return done;
}

void Sending::give_up() {
    if (state_ && state_->is_under_way()) {
        state_->task.stop();
        [[maybe_unused]] const State *left_to_mpi = state_.release();
    }
    state_.reset();
}

}
