// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's line to the supervisor (docs/formats/link.md), as the job needs it: it asks for parties, hears requests from
// outside, and says what became of each resize. May be used by the thread that makes processes too.
#pragma once

#include "base/clock.hpp"
#include "base/settings.hpp"
#include "job/state/generation.hpp"
#include "link/link.hpp"
#include "process/starter.hpp"

#include <nereus/nereus.h>

#include <deque>
#include <map>
#include <mutex>

namespace nereus::job {

struct OutsideRequest {
    nlohmann::json ticket;
    int ranks = 0;
    nlohmann::json options; ///< names and values of settings
};

/// That an epoch is to be saved.
struct OutsideSave {
    nlohmann::json ticket;
    bool stops = false; ///< and that the job is to end then
};

/// What became of a request to save an epoch, for the supervisor (docs/formats/link.md: `saved`).
struct SaveOutcome {
    std::uint64_t request = 0;
    int code = 0;
    std::string message;
    std::uint64_t epoch = 0; ///< 0: none was saved
    std::int64_t iteration = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
    bool stops = false; ///< the job ends now, and is to be continued from this epoch
    bool in_memory = false;
};

class SupervisorClient {
public:
    /// Nothing where the settings name none.
    static Result<std::unique_ptr<SupervisorClient>> open(const Settings &settings);

    /// `token` is that of hand_on() on the root before; "": there was none.
    void say_root(const Generation &generation, const std::string &token);
    /// Another process is the root once this one has said that the resize is settled.
    /// @return by what the supervisor knows it
    std::string hand_on();
    /// Who is part of the job from now on: the end of any of these before say_closing() is a failure.
    /// `generation`: who is told of late cannot take the place of those who came after.
    void say_members(std::int64_t generation, const std::vector<process::ProcessId> &processes,
                     const std::vector<std::string> &hosts);
    void say_settled(const nereus_resize_report &report, const std::string &message);
    void say_closing();
    void say_saved(const SaveOutcome &outcome);
    /// Waits until the supervisor has files of shared memory open, so that they outlive all processes of the job.
    ///
    /// @param epoch    for an epoch in memory of this number; 0: for a restart
    /// @param handles  as memory::as_json() has them, or null
    /// @return those of the supervisor's own, null for what it could not open. NEREUS_ERR_TIMEOUT without an answer
    Result<nlohmann::json> keep(std::uint64_t request, std::uint64_t epoch, const nlohmann::json &handles,
                                const Deadline &deadline);
    /// All leave for resize `request`, and are to be started anew so; as before where that fails.
    void say_restart(std::uint64_t request, const plan::Party &after, const plan::Party &before);
    void answer(const nlohmann::json &ticket, int code, const std::string &message, std::uint64_t number);

    std::optional<OutsideRequest> next_request();
    /// Of those that came in before next_request() was called last.
    std::optional<OutsideSave> next_save();

    /// For request `number`; must not outlive this.
    std::unique_ptr<process::Starter> starter(std::uint64_t number);

private:
    class PartyStarter;
    class PartyLine;

    explicit SupervisorClient(link::Link link) : link_(std::move(link)) {}
    Done send(nlohmann::json message);
    void sort_in();
    std::optional<nlohmann::json> take_hello(std::uint64_t request, std::size_t party);
    std::optional<Error> death_in(std::uint64_t request);
    void forget(std::uint64_t request);

    std::mutex mutex_;
    link::Link link_;
    std::string next_root_; ///< how the next root is known, until the resize is settled
    std::deque<OutsideRequest> requests_;
    std::deque<OutsideSave> saves_;
    std::map<std::uint64_t, nlohmann::json> kept_; ///< handles, by requests
    std::map<std::pair<std::uint64_t, std::size_t>, std::deque<nlohmann::json>> hellos_;
    std::map<std::uint64_t, Error> deaths_; ///< of each request, the first
};

/// Whether this process could reach the supervisor: whether it can read the keys, where there are any.
Done check_link(const Settings &settings);

/// How the leader of a party that the supervisor started reaches the job: by setting `party`, "REQUEST.NUMBER".
struct PartyWay {
    std::unique_ptr<process::Line> line;
    std::size_t number;
};
Result<PartyWay> way_of_party(const Settings &settings);

}
