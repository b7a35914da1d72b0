// SPDX-License-Identifier: BSD-3-Clause
#include "job/save_requests.hpp"

#include "base/printable.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

namespace nereus::job {

Done SaveRequests::check_possible(Save save) const {
    if (save == Save::in_memory && job_.settings.protect_folder.empty())
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "this job keeps no epochs in memory: start it with `nereus run --protect`");
    std::error_code ignored;
    // It was made for this user alone; who made it may have been killed. Folders of hosts are looked for on each.
    if (save == Save::in_memory && job_.settings.protect == protect_memory &&
        !std::filesystem::is_directory(job_.settings.protect_folder, ignored))
        return failed(NEREUS_ERR_STATE, "protect-folder = " + job_.settings.protect_folder + ": is not there");
    if (save != Save::in_memory && job_.settings.save.empty())
        return failed(NEREUS_ERR_UNSUPPORTED, "this job saves no epochs: start it with `nereus run --save`");
    return check_can_be_saved();
}

Result<std::uint64_t> SaveRequests::ask(Save save) {
    if (auto done = check_possible(save); !done) return tl::unexpected(done.error());
    Request request;
    request.save = save;
    return job_.requests.add(request);
}

/// The processes of another generation are on other hosts, or have what they got from others once only.
bool SaveRequests::is_on_new_hosts() {
    const std::int64_t before = std::exchange(generation_, job_.generation.number);
    return job_.settings.protect == protect_buddy && before != generation_;
}

void SaveRequests::ask_if_due(EpochClock &clock, double every, Save save, bool at_once) {
    if (!at_once && !clock.is_due(every, [this] { return job_.registry.bytes(); })) return;
    const auto number = ask(save);
    if (number) return clock.asked();
    clock.ended(std::nullopt);
    print_line("nereus", "no epoch is saved: " + number.error().what);
}

void SaveRequests::take_outside() {
    if (job_.supervisor)
        while (auto outside = job_.supervisor->next_save()) {
            const auto number = ask(outside->stops ? Save::and_stop : Save::and_go_on);
            job_.supervisor->answer(outside->ticket, number ? NEREUS_OK : number.error().code,
                                    number ? std::string() : number.error().what, number.value_or(0));
        }
    ask_if_due(on_disk_, job_.settings.save_every, Save::and_go_on);
    if (!job_.settings.protect_folder.empty())
        ask_if_due(in_memory_, job_.settings.protect_every, Save::in_memory, is_on_new_hosts());
}

void SaveRequests::ended(const Request &request, const Result<SavedEpoch> &saved) {
    EpochClock &clock = request.save == Save::in_memory ? in_memory_ : on_disk_;
    clock.ended(saved ? std::optional(saved->seconds) : std::nullopt);
    SaveOutcome outcome;
    outcome.request = request.number;
    outcome.iteration = job_.iteration;
    if (saved) {
        outcome.message = sentence(*saved);
        outcome.epoch = saved->number;
        outcome.bytes = saved->bytes;
        outcome.seconds = saved->seconds;
        outcome.stops = request.save == Save::and_stop;
    } else {
        outcome.code = saved.error().code;
        outcome.message = "no epoch was saved: " + saved.error().what;
        print_line("nereus", outcome.message + "; the job continues");
    }
    outcome.in_memory = request.save == Save::in_memory;
    // It finds epochs on its own host itself.
    if (job_.supervisor && (!outcome.in_memory || job_.settings.protect == protect_buddy))
        job_.supervisor->say_saved(outcome);
}

}
