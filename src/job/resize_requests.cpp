// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize_requests.hpp"

#include "base/printable.hpp"
#include "base/strategies.hpp"
#include "job/resize/method_selection.hpp"
#include "mpi/threads.hpp"
#include "plan/host_allocation.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace nereus::job {
namespace {

void say_dropped(const Request &request) {
    print_line("nereus", "resize " + std::to_string(request.number) + " to " + std::to_string(request.ranks) +
                             " processes was dropped: the job ended before it began");
}

/// The settings as `options` would have them, by the names and words of settings.
Result<nereus_resize_options> read_options(Settings settings, const nlohmann::json &options) {
    std::string hosts;
    for (const auto &[name, value] : options.items()) {
        if (!value.is_string()) return failed(NEREUS_ERR_SETTING, name + ": its value must be a text");
        if (auto done = set_setting(settings, name, value.get<std::string>()); !done)
            return tl::unexpected(done.error());
        if (name == "hosts") hosts = value.get<std::string>();
    }
    nereus_resize_options read = settings.resize;
    if (hosts.size() >= sizeof read.hosts)
        return failed(NEREUS_ERR_ARGUMENT, "hosts: at most " + std::to_string(sizeof read.hosts - 1) + " characters");
    hosts.copy(read.hosts, hosts.size());
    return read;
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
    if (auto done = check_strategies(options.process_strategies); !done) return done;
    const bool makes = ranks > job_.generation.control.size() || options.process_method != NEREUS_MERGE;
    const bool one_world = !makes && is_of_one_world(job_.generation);
    return check_transfer_choice(options.process_method, one_world,
                                 {options.transfer_method, options.transfer_strategy});
}

Result<Asked> ResizeRequests::ask(int ranks, const nereus_resize_options &options) {
    if (auto done = check_possible(ranks, options); !done) return tl::unexpected(done.error());
    auto more = read_hosts(options.hosts);
    if (!more) return tl::unexpected(more.error());
    std::vector<Host> hosts = plan::with_added(job_.hosts, *more);
    const auto possible = slots_or_fewer(ranks, hosts, options);
    if (!possible) return tl::unexpected(possible.error());
    const std::vector<Host> before = std::exchange(job_.hosts, std::move(hosts));
    const bool waits = resizes_ || !job_.requests.empty();
    if (!waits && *possible == job_.generation.control.size() && options.process_method == NEREUS_MERGE &&
        options.placement != NEREUS_MEASURED)
        return Asked{NEREUS_UNCHANGED, 0};
    const std::uint64_t number = job_.requests.add({0, *possible, 0, options});
    if (!more->empty()) added_hosts_[number] = {std::move(*more), before};
    return Asked{waits ? NEREUS_PENDING : *possible < ranks ? NEREUS_REDUCED : NEREUS_OK, number};
}

/// A resize that was rolled back may have been so because of the hosts that came with it: they are none of the job's.
void ResizeRequests::resize_ended(const nereus_resize_report &report) {
    resizes_ = false;
    const auto added = added_hosts_.extract(report.request);
    if (added && report.code < 0)
        job_.hosts = plan::with_taken_back(job_.hosts, added.mapped().more, added.mapped().before);
}

Result<Asked> ResizeRequests::ask_from_outside(const OutsideRequest &outside) {
    auto options = read_options(job_.settings, outside.options);
    if (!options) return tl::unexpected(options.error());
    return ask(outside.ranks, *options);
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
        job_.supervisor->answer(*outside, asked ? asked->code : asked.error().code,
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
