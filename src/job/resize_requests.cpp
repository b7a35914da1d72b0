// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize_requests.hpp"

#include "base/printable.hpp"
#include "base/strategies.hpp"
#include "job/resize/method_selection.hpp"
#include "job/restart.hpp"
#include "mpi/threads.hpp"
#include "plan/host_allocation.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace nereus::job {
namespace {

void say_dropped(const Request &request) {
    const std::string what = is_resize(request) ? "resize " + std::to_string(request.number) + " to " +
                                                      std::to_string(request.ranks) + " processes"
                                                : "request " + std::to_string(request.number) + " to save an epoch";
    print_line("nereus", what + " was dropped: the job ended before it began");
}

struct ReadOptions {
    nereus_resize_options resize;
    plan::HostChange change;
};

/// Names of hosts out of a list as the setting `hosts` has it.
Result<std::vector<std::string>> read_names(const std::string &text) {
    return read_hosts(text).map([](const std::vector<Host> &hosts) {
        std::vector<std::string> names;
        for (const Host &host : hosts) names.push_back(host.name);
        return names;
    });
}

/// By the names and words of settings, and `release-hosts`, which is of one resize only.
Result<ReadOptions> read_options(Settings settings, const nlohmann::json &options) {
    std::string more, fewer;
    for (const auto &[name, value] : options.items()) {
        if (!value.is_string()) return failed(NEREUS_ERR_SETTING, name + ": its value must be a text");
        const auto text = value.get<std::string>();
        if (name == "release-hosts") {
            fewer = text;
            continue;
        }
        if (auto done = set_setting(settings, name, text); !done) return tl::unexpected(done.error());
        if (name == "hosts") more = text;
    }
    auto hosts = read_hosts(more);
    if (!hosts) return tl::unexpected(hosts.error());
    auto names = read_names(fewer);
    if (!names) return tl::unexpected(names.error());
    return ReadOptions{settings.resize, {std::move(*hosts), std::move(*names)}};
}

}

Done ResizeRequests::check_strategies(unsigned asked) const {
    if (auto done = strategies::check(asked); !done) return done;
    if ((asked & strategies::join) != 0 && !job_.supervisor)
        return failed(NEREUS_ERR_UNSUPPORTED, "join needs a supervisor: start the job with `nereus run`");
    if ((asked & strategies::join) != 0 && !job_.settings.joins)
        return failed(NEREUS_ERR_UNSUPPORTED, "join does not work with this MPI here: `nereus doctor` shows why");
    if ((asked & strategies::asynchronous) != 0 && !mpi::threads_are_allowed())
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "asynchronous needs MPI_Init_thread with MPI_THREAD_MULTIPLE, which this program or MPI "
                      "does not have");
    return {};
}

/// `ranks`, or as many as `hosts` have slots for where that was allowed.
Result<int> ResizeRequests::slots_or_fewer(int ranks, const std::vector<Host> &hosts,
                                           const nereus_resize_options &options) const {
    if (hosts.empty() || options.oversubscribe != 0) return ranks;
    const int slots = plan::free_slots(hosts, {});
    if (ranks <= slots) return ranks;
    if (options.allow_fewer != 0) return slots;
    return failed(NEREUS_ERR_RANGE, "a job cannot have " + std::to_string(ranks) + " processes: its hosts " +
                                        text_of(hosts) + " have " + std::to_string(slots) +
                                        " slots (settings hosts, oversubscribe, allow-fewer)");
}

Done ResizeRequests::check_possible(int ranks, const nereus_resize_options &options) const {
    if (ranks < 1 || ranks > job_.settings.max_ranks)
        return failed(NEREUS_ERR_RANGE, "a job cannot have " + std::to_string(ranks) + " processes: allowed is 1 .. " +
                                            std::to_string(job_.settings.max_ranks) + " (setting max-ranks)");
    if (options.process_method == NEREUS_RESTART) return check_can_restart(job_, options);
    if (auto done = check_strategies(options.process_strategies); !done) return done;
    const bool makes = ranks > job_.generation.control.size() || options.process_method != NEREUS_MERGE;
    const bool one_world = !makes && is_of_one_world(job_.generation);
    return check_transfer_choice(options.process_method, one_world,
                                 {options.transfer_method, options.transfer_strategy});
}

/// Whether the processes on these hosts, and no others but the last, can leave by a resize to `ranks`.
Done ResizeRequests::check_leaving(int ranks, const nereus_resize_options &options,
                                   const std::vector<std::string> &hosts) const {
    if (hosts.empty()) return {};
    if (waits()) return failed(NEREUS_ERR_STATE, "hosts can be released when no other resize is under way");
    if (options.process_method != NEREUS_MERGE) return {};
    const auto &host_of_rank = job_.generation.hosts;
    if (plan::is_among(hosts, host_of_rank.front()))
        return failed(NEREUS_ERR_ARGUMENT, host_of_rank.front() + ": rank 0 is there, and stays");
    const auto leave =
        std::ranges::count_if(host_of_rank, [&](const std::string &host) { return plan::is_among(hosts, host); });
    const auto stay = std::ssize(host_of_rank) - leave;
    if (ranks <= stay) return {};
    return failed(NEREUS_ERR_RANGE, std::to_string(ranks) + " processes cannot stay: only " + std::to_string(stay) +
                                        " are on hosts that the job keeps");
}

Result<Asked> ResizeRequests::ask(int ranks, const nereus_resize_options &options) {
    auto more = read_hosts(options.hosts);
    if (!more) return tl::unexpected(more.error());
    return ask(ranks, options, {std::move(*more), {}});
}

Result<Asked> ResizeRequests::ask(int ranks, const nereus_resize_options &options, const plan::HostChange &change) {
    if (auto done = check_possible(ranks, options); !done) return tl::unexpected(done.error());
    if (auto done = check_leaving(ranks, options, change.fewer); !done) return tl::unexpected(done.error());
    auto hosts = plan::changed(job_.hosts, change);
    if (!hosts) return tl::unexpected(hosts.error());
    const auto possible = slots_or_fewer(ranks, *hosts, options);
    if (!possible) return tl::unexpected(possible.error());
    const std::vector<Host> before = std::exchange(job_.hosts, std::move(*hosts));
    const bool is_later = waits();
    if (!is_later && *possible == job_.generation.control.size() && options.process_method == NEREUS_MERGE &&
        options.placement != NEREUS_MEASURED)
        return Asked{NEREUS_UNCHANGED, 0};
    if (!change.fewer.empty()) job_.hosts_to_leave = change.fewer;
    const Save save = options.process_method == NEREUS_RESTART ? Save::and_restart : Save::no;
    const std::uint64_t number = job_.requests.add({0, *possible, save, 0, options});
    if (!change.empty()) changed_hosts_[number] = {change, before};
    return Asked{is_later ? NEREUS_PENDING : *possible < ranks ? NEREUS_REDUCED : NEREUS_OK, number};
}

std::vector<Host> ResizeRequests::hosts_before(std::uint64_t request) const {
    const auto changed = changed_hosts_.find(request);
    if (changed == changed_hosts_.end()) return job_.hosts;
    return plan::changed_back(job_.hosts, changed->second.change, changed->second.before);
}

/// A resize that was rolled back may have been so because of the hosts that came with it: they are none of the job's.
/// Those that it was to leave are the job's again.
void ResizeRequests::resize_ended(const nereus_resize_report &report) {
    resizes_ = false;
    job_.hosts_to_leave.clear();
    if (report.code < 0) job_.hosts = hosts_before(report.request);
    changed_hosts_.erase(report.request);
}

Result<Asked> ResizeRequests::ask_from_outside(const OutsideRequest &outside) {
    if (!job_.settings.outside_requests)
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "this job is resized by its own requests only (setting outside-requests)");
    auto options = read_options(job_.settings, outside.options);
    if (!options) return tl::unexpected(options.error());
    return ask(outside.ranks, options->resize, options->change);
}

void ResizeRequests::take_outside() {
    take_requests_of_supervisor();
    take_commands_of_daemon();
}

/// With caches that the application has filled, a look into the socket takes some 10 us.
void ResizeRequests::take_requests_of_supervisor() {
    if (!job_.supervisor || !looking_.is_due()) return;
    while (auto outside = job_.supervisor->next_request()) {
        const auto asked = ask_from_outside(*outside);
        job_.supervisor->answer(outside->ticket, asked ? asked->code : asked.error().code,
                                asked ? std::string() : asked.error().what, asked ? asked->number : 0);
    }
    looking_.done();
}

/// What rank 0 announces now is acted on at the next checkpoint.
void ResizeRequests::take_commands_of_daemon() {
    if (!job_.daemon_client) return;
    DaemonClient &daemon_client = *job_.daemon_client;
    while (auto command = daemon_client.take_command(job_.iteration + 1)) {
        const auto asked = ask_from_outside({{}, command->ranks, command->options});
        if (!asked)
            daemon_client.is_refused(command->number, asked.error());
        else if (asked->number == 0)
            daemon_client.is_done(command->number, "the job has that size already");
        else
            daemon_client.asked(command->number, asked->number);
    }
}

std::int32_t ResizeRequests::quiet_checkpoints_before_command(std::int32_t quiet_checkpoints) const {
    if (!job_.daemon_client) return quiet_checkpoints;
    const std::int64_t first_that_may_rest = job_.iteration + 2;
    const std::int64_t most = job_.daemon_client->checkpoints_to_command(first_that_may_rest);
    return static_cast<std::int32_t>(std::min<std::int64_t>(quiet_checkpoints, most));
}

void ResizeRequests::drop_all(const Request &announced) {
    const auto drop = [this](const Request &request) {
        say_dropped(request);
        if (job_.daemon_client) job_.daemon_client->request_dropped(request.number);
    };
    if (announced.number != 0) drop(announced);
    while (!job_.requests.empty()) drop(job_.requests.take());
}

}
