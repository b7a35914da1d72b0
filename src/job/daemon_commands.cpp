// SPDX-License-Identifier: BSD-3-Clause
// What the daemon of many jobs tells this one to do, and what is said to it of resizes.
#include "base/printable.hpp"
#include "job/job.hpp"

#include <algorithm>

namespace nereus::job {

/// On a rank 0 that has no line to a daemon yet. A job that cannot reach one does without.
void Job::open_controlled() {
    if (!root() || state_.settings.controller.empty()) return;
    auto daemon_client = DaemonClient::open(state_.settings, state_.generation, state_.program.words());
    if (daemon_client)
        state_.daemon_client = std::move(*daemon_client);
    else
        print_line("nereus", "the job continues without a daemon: " + daemon_client.error().what);
}

/// The word that rank 0 says now is acted on at the next checkpoint.
void Job::take_daemon_commands() {
    if (!state_.daemon_client) return;
    DaemonClient &daemon_client = *state_.daemon_client;
    while (auto command = daemon_client.take_command(state_.iteration + 1)) {
        const auto asked = ask_from_outside({{}, command->ranks, command->options});
        if (!asked)
            daemon_client.is_refused(command->number, asked.error());
        else if (asked->number == 0)
            daemon_client.is_done(command->number, "the job has that size already");
        else
            daemon_client.asked(command->number, asked->number);
    }
}

/// So few that the announcement of a command can be said at the checkpoint before its own.
std::int32_t Job::quiet_checkpoints_before_command(std::int32_t quiet_checkpoints) const {
    if (!state_.daemon_client) return quiet_checkpoints;
    const std::int64_t first_that_may_rest = state_.iteration + 2;
    const std::int64_t most = state_.daemon_client->checkpoints_to_command(first_that_may_rest);
    return static_cast<std::int32_t>(std::min<std::int64_t>(quiet_checkpoints, most));
}

/// Of the resize that ended last.
void Job::tell_daemon() {
    if (state_.daemon_client) state_.daemon_client->resize_ended(report_, message_, state_.generation);
}

}
