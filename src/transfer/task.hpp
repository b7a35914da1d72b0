// SPDX-License-Identifier: BSD-3-Clause
// Work in a thread that is asked to stop and left where it does not: it may be in an MPI call that waits for a process
// that died. MPI_Finalize waits for it. The calls themselves are bounded (mpi/bounded_call.hpp).
#pragma once

#include "base/clock.hpp"
#include "mpi/finalize.hpp"
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

    /// Returns soon. A task that still runs then must never be destroyed.
    void stop() {
        stop_ = true;
        for (const Stopwatch watch; runs() && watch.seconds() < patience;) mpi::rest();
        if (runs()) mpi::finalize_waits([this] { thread_.join(); });
    }

private:
    static constexpr double forever = std::numeric_limits<double>::infinity(), patience = 1;

    std::thread thread_;
    std::atomic<bool> stop_ = false, ended_ = false;
    Done result_;
};

}
