// SPDX-License-Identifier: BSD-3-Clause
// What a job says to the daemon of many jobs, and what it is told: docs/formats/daemon.md.
//
// In:  what the job has to say, messages that came in, the time (s, of a clock that does not go back).
// Out: messages that are to go out now, commands for the job, whether it has its turn.
// Without sockets and threads: messages may be lost, doubled and late, and the daemon may be gone.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nereus::link {

/// To resize, as the daemon put it.
struct Command {
    std::uint64_t number = 0;
    int ranks = 0;
    std::int64_t at = 0; ///< the checkpoint of which iteration; one that has passed: the next
    nlohmann::json options = nlohmann::json::object();
};

class Conversation {
public:
    static constexpr double repeat_seconds = 1;       ///< of what was not answered
    static constexpr double ask_again_seconds = 0.25; ///< for a turn
    static constexpr double heartbeat_seconds = 0.5;  ///< as long as the daemon does not say otherwise
    static constexpr std::size_t most_insisted = 256;
    static constexpr std::size_t most_commands = 64;

    /// @param about    the keys of `hello` that say what the job is
    /// @param opening  tells this job from those of its name before: a greater number than theirs
    Conversation(nlohmann::json about, std::uint64_t opening) : about_(std::move(about)), opening_(opening) {}

    /// Whether the daemon answered, or the line was opened, no longer ago than `patience` seconds.
    bool is_heard(double now, double patience) const { return now - heard_ <= patience; }
    void opened(double now) { heard_ = now; }

    /// Says again what the job is, when that changed: keys as in the constructor, any of them.
    void describe(const nlohmann::json &changed) { about_.update(changed); }
    void passed(std::int64_t iteration) { iteration_ = iteration; }

    /// Said once, if the daemon is there.
    void say(nlohmann::json message);
    /// Said until it is noted. Of more than most_insisted the oldest are given up.
    /// @param since  when that was of which it tells, where it has a key `age_seconds`
    void insist(nlohmann::json message, double since);
    bool insists() const { return !insisted_.empty(); }

    /// Asks for a turn for the I/O phase `number`, until it has it or stop_asking().
    void ask(std::uint64_t number, std::int64_t bytes, std::int64_t iteration);
    bool asks() const { return asked_.has_value(); }
    void stop_asking() { asked_.reset(); }
    /// By which the turn was granted that was asked for; 0: it was not.
    std::uint64_t granted() const { return granted_; }
    /// The phase is over, or goes on without its turn.
    void give_back();

    /// The next command, when its checkpoint is the one of iteration `next`, or was passed.
    std::optional<Command> take_command(std::int64_t next);
    /// Of the next command; nothing when there is none.
    std::optional<std::int64_t> next_command_at() const;
    /// One that was taken: it is done, or refused.
    void command_ended(std::uint64_t number);

    void take(const nlohmann::json &message, double now);
    /// What is to be sent now.
    std::vector<nlohmann::json> due(double now);
    /// What was due() could not be sent: nobody is there yet, or any more.
    void not_sent(double now);
    /// When due() has something again.
    double next_due() const;

    /// For the one that goes on in another process: phases, commands, what is insisted on.
    nlohmann::json as_json(double now) const;
    void restore(const nlohmann::json &json, double now);

private:
    struct Insisted {
        nlohmann::json message;
        double since;
        double next;
    };
    struct Asked {
        std::uint64_t number;
        std::int64_t bytes;
        std::int64_t iteration;
        double next;
    };

    void take_known(const std::string &kind, const nlohmann::json &message, double now);
    void take_welcome(const nlohmann::json &message);
    void take_grant(const nlohmann::json &message);
    void take_resize(const nlohmann::json &message, double now);
    void take_cancel(std::uint64_t number);
    bool is_known(std::uint64_t number) const;
    nlohmann::json hello() const;
    std::vector<nlohmann::json> due_to_a_stranger(double now);
    std::vector<nlohmann::json> due_to_one_that_knows(double now);

    nlohmann::json about_;
    std::uint64_t opening_;
    std::int64_t iteration_ = 0;
    bool welcomed_ = false;
    double heard_ = -std::numeric_limits<double>::infinity();
    double every_ = heartbeat_seconds;
    double next_hello_ = 0;
    int times_not_sent_ = 0; ///< since the daemon was heard
    double next_heartbeat_ = 0;
    std::deque<nlohmann::json> once_;
    std::map<std::uint64_t, Insisted> insisted_; ///< by id
    std::uint64_t last_id_ = 0;
    std::optional<Asked> asked_;
    std::uint64_t number_ = 0; ///< of the phase that was asked for last, or is under way
    std::uint64_t granted_ = 0;
    std::uint64_t epoch_ = 0;                   ///< of the turn that it has still
    std::map<std::uint64_t, Command> commands_; ///< that wait
    std::set<std::uint64_t> taken_;             ///< that were, and are not done
    std::uint64_t last_taken_ = 0;              ///< the greatest number of those that were taken
    std::set<std::uint64_t> cancelled_;         ///< or refused; of later ones
};

}
