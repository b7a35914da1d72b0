// SPDX-License-Identifier: BSD-3-Clause
#include "job/save_requests.hpp"

#include "base/printable.hpp"

namespace nereus::job {

Done SaveRequests::check_possible() const {
    if (job_.settings.save.empty())
        return failed(NEREUS_ERR_UNSUPPORTED, "this job saves no epochs: start it with `nereus run --save`");
    return check_can_be_saved();
}

Result<std::uint64_t> SaveRequests::ask(Save save) {
    if (auto done = check_possible(); !done) return tl::unexpected(done.error());
    Request request;
    request.save = save;
    return job_.requests.add(request);
}

bool SaveRequests::is_due() const {
    const double every = job_.settings.save_every;
    return every != 0 && !is_waiting_ &&
           interval_.is_due(every, now() - last_, [this] { return job_.registry.bytes(); });
}

void SaveRequests::take_outside() {
    if (job_.supervisor)
        while (auto outside = job_.supervisor->next_save()) {
            const auto number = ask(outside->stops ? Save::and_stop : Save::and_go_on);
            job_.supervisor->answer(outside->ticket, number ? NEREUS_OK : number.error().code,
                                    number ? std::string() : number.error().what, number.value_or(0));
        }
    if (!is_due()) return;
    last_ = now();
    const auto number = ask(Save::and_go_on);
    is_waiting_ = number.has_value();
    if (!number) print_line("nereus", "no epoch is saved: " + number.error().what);
}

void SaveRequests::ended(const Request &request, const Result<SavedEpoch> &saved) {
    is_waiting_ = false;
    last_ = now();
    SaveOutcome outcome;
    outcome.request = request.number;
    outcome.iteration = job_.iteration;
    if (saved) {
        outcome.message = sentence(*saved);
        outcome.epoch = saved->number;
        outcome.bytes = saved->bytes;
        outcome.seconds = saved->seconds;
        outcome.stops = request.save == Save::and_stop;
        interval_.saved(saved->seconds);
    } else {
        outcome.code = saved.error().code;
        outcome.message = "no epoch was saved: " + saved.error().what;
        print_line("nereus", outcome.message + "; the job continues");
        interval_.failed();
    }
    if (job_.supervisor) job_.supervisor->say_saved(outcome);
}

}
