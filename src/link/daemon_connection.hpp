// SPDX-License-Identifier: BSD-3-Clause
// A job's line to the daemon of many jobs: a thread that keeps up the conversation while the application computes.
// Used by one other thread. Without MPI; nothing waits for a daemon that does not answer.
#pragma once

#include "link/daemon_protocol.hpp"
#include "link/link.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace nereus::link {

class DaemonConnection {
public:
    /// @param about    what `hello` says of the job
    /// @param carried  as_json() of the process that was in this one's place; null: there was none
    /// @param keys     a file of keys; "": none are needed
    static Result<std::unique_ptr<DaemonConnection>> open(const std::string &address, const std::string &keys,
                                                          const std::string &job, nlohmann::json about,
                                                          const nlohmann::json &carried = nullptr);
    DaemonConnection(const DaemonConnection &) = delete;
    DaemonConnection &operator=(const DaemonConnection &) = delete;
    /// Without a goodbye, as where another process goes on.
    ~DaemonConnection();

    /// The job is over: says so, and waits a second at most until that and all else is noted.
    void say_goodbye();

    void describe(const nlohmann::json &changed);
    void say(nlohmann::json message);
    void insist(nlohmann::json message);
    /// At each checkpoint: the number of those that were passed. Costs a store into memory.
    void passed(std::int64_t iteration) { iteration_.store(iteration, std::memory_order_relaxed); }

    /// The next command, when its checkpoint is the one of iteration `next`, or was passed. Cheap when there is none.
    std::optional<Command> take_command(std::int64_t next);
    /// Of the next command; the greatest number when there is none.
    std::int64_t next_command_at() const { return next_command_at_.load(std::memory_order_acquire); }
    void command_ended(std::uint64_t number);

    /// Waits for the turn of I/O phase `number`, for as long as the daemon answers within `patience` seconds.
    /// @return its epoch; 0: there is none
    std::uint64_t wait_for_turn(std::uint64_t number, std::int64_t bytes, std::int64_t iteration, double patience);
    void give_back_turn();

    nlohmann::json as_json();

private:
    DaemonConnection(Link link, int wake, nlohmann::json about);
    void converse();
    double send_due();
    void take_in();
    void note_next_command();
    void wake() const;

    Link link_; ///< the thread's
    int wake_;  ///< a descriptor that ends the thread's wait
    std::atomic<std::int64_t> iteration_ = 0;
    std::atomic<std::int64_t> next_command_at_;
    std::atomic<bool> ends_ = false;
    std::mutex mutex_;
    std::condition_variable changed_;
    Conversation conversation_;
    std::thread thread_;
};

}
