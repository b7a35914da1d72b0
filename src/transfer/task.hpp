// SPDX-License-Identifier: BSD-3-Clause
// Work in a thread that is asked to stop, not waited for: it may be stuck in an MPI call for a process that died.
#pragma once

#include "base/clock.hpp"
#include "mpi/waiting.hpp"

#include <atomic>
#include <functional>
#include <limits>
#include <thread>

namespace nereus::transfer {

class Task {
public:
    Task() = default;
    Task(const Task &) = delete;
    Task &operator=(const Task &) = delete;
    ~Task() {
        if (thread_.joinable()) thread_.join();
    }

    /// `work` gets a deadline that is over when the task is to stop.
    void start(std::function<Done(const Deadline &)> work) {
        thread_ = std::thread([this, work = std::move(work)] {
            result_ = work(Deadline::in(forever, [this]() -> std::optional<Error> {
                if (!stop_) return std::nullopt;
                return Error{NEREUS_ERR_STATE, "the transfer was given up"};
            }));
            ended_ = true;
        });
    }

    bool runs() const { return thread_.joinable() && !ended_; }
    bool has_ended() const { return ended_; }
    const Done &result() const { return result_; } ///< of a task that has ended

    /// Whether it ended soon. If not, the task must never be destroyed.
    bool stop() {
        stop_ = true;
        for (const Stopwatch watch; runs() && watch.seconds() < patience;) mpi::rest();
        return !runs();
    }

private:
    static constexpr double forever = std::numeric_limits<double>::infinity(), patience = 1;

    std::thread thread_;
    std::atomic<bool> stop_ = false, ended_ = false;
    Done result_;
};

}
