// SPDX-License-Identifier: BSD-3-Clause
// What the controller of many jobs tells this one to do, and what is said to it of resizes.
#include "base/printable.hpp"
#include "job/job.hpp"

#include <algorithm>

namespace nereus::job {

/// On a rank 0 that has no line to a controller yet. A job that cannot reach one does without.
void Job::open_controlled() {
    if (!root() || members_.settings.controller.empty()) return;
    auto controlled = Controlled::open(members_.settings, members_.generation, members_.program.words());
    if (controlled)
        members_.controlled = std::move(*controlled);
    else
        print_line("nereus", "the job goes on without a controller: " + controlled.error().what);
}

/// The word that rank 0 says now is acted on at the next checkpoint.
void Job::hear_controller() {
    if (!members_.controlled) return;
    Controlled &controlled = *members_.controlled;
    while (auto command = controlled.take_command(members_.iteration + 1)) {
        const auto asked = ask_from_outside({{}, command->ranks, command->options});
        if (!asked)
            controlled.is_refused(command->number, asked.error());
        else if (asked->number == 0)
            controlled.is_done(command->number, "the job has that size already");
        else
            controlled.asked(command->number, asked->number);
    }
}

/// So few that the word of a command can be said at the checkpoint before its own.
std::int32_t Job::rests_before_command(std::int32_t rests) const {
    if (!members_.controlled) return rests;
    const std::int64_t first_that_may_rest = members_.iteration + 2;
    const std::int64_t most = members_.controlled->checkpoints_to_command(first_that_may_rest);
    return static_cast<std::int32_t>(std::min<std::int64_t>(rests, most));
}

/// Of the resize that ended last.
void Job::tell_controller() {
    if (members_.controlled) members_.controlled->resize_ended(report_, message_, members_.generation);
}

}
