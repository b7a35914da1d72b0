// SPDX-License-Identifier: BSD-3-Clause
// A collective call with processes that may die in it. MPI cannot be asked to leave such a call (MPI 4.1, section 2.8):
// where it does not return in time this process says so and ends, and with it the job (decision 0023).
#pragma once

#include "base/clock.hpp"

#include <condition_variable>
#include <limits>
#include <mutex>
#include <string>
#include <thread>

namespace nereus::mpi {

struct Bounds {
    double answer = std::numeric_limits<double>::infinity(); ///< seconds of a call with processes that are there
    double start = std::numeric_limits<double>::infinity();  ///< seconds more of a call that starts them
    bool newcomer = false; ///< this process waits a little longer, so that the job itself speaks first
};

/// Of this process, for all such calls. Without it they may take any time.
void bound_calls(const Bounds &bounds);

/// Seconds beyond the bound for a call that starts processes.
double seconds_to_start();

/// While this lives, the calls of this process hear what `news` says of the death of newcomers: one that has not
/// returned soon after does not wait for its whole bound. `news` is asked by other threads; one at a time is heard.
class Hearing {
public:
    explicit Hearing(News news);
    Hearing(const Hearing &) = delete;
    Hearing &operator=(const Hearing &) = delete;
    ~Hearing();
};

/// Lives around one call, or several in a row.
class BoundedCall {
public:
    /// As `more`: the call is bounded only once a death was heard of.
    static constexpr double any_time = std::numeric_limits<double>::infinity();

    /// What a death that is heard of means for the call.
    enum class Death { holds_it_up, releases_it };

    /// @param more  seconds that it may take beyond the bound
    explicit BoundedCall(std::string what, double more = 0, Death death = Death::holds_it_up);
    BoundedCall(const BoundedCall &) = delete;
    BoundedCall &operator=(const BoundedCall &) = delete;
    ~BoundedCall();

private:
    void start_watcher();
    void watch();
    void listen(double waited);
    [[noreturn]] void end_the_job() const;

    std::string what_;
    double seconds_;     ///< that the call may take
    double after_death_; ///< that it may take longer once a death was heard of; infinite: none is listened for
    std::string heard_;  ///< of a death
    std::mutex mutex_;
    std::condition_variable returned_;
    bool is_over_ = false;
    std::thread watcher_; ///< none where there is no bound; makes no MPI call
};

}
