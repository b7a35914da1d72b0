// SPDX-License-Identifier: BSD-3-Clause
#include "job/control/daemon_client.hpp"

#include "base/clock.hpp"
#include "base/printable.hpp"
#include "mpi/library.hpp"

#include <algorithm>
#include <unistd.h>

namespace nereus::job {
namespace {

using nlohmann::json;

json about(const Settings &settings, const Generation &generation, const std::vector<std::string> &command) {
    return {{"command", command},
            {"mpi", mpi::library()},
            {"pid", getpid()},
            {"supervised", settings.joins},
            {"hosts", generation.hosts},
            {"most", settings.max_ranks},
            {"generation", generation.number}};
}

/// A job that nobody started by a name has its first world's.
std::string name_of(const Settings &settings, const Generation &generation) {
    return settings.job.empty() ? key_of(generation) : settings.job;
}

}

DaemonClient::DaemonClient(std::unique_ptr<link::DaemonConnection> line, Way way, const Settings &settings,
                           const Generation &generation)
    : line_(std::move(line)), way_(std::move(way)), patience_(settings.io_timeout), ranks_(generation.control.size()),
      hosts_(generation.hosts), generation_(generation.number), iteration_timer_(now()) {}

Result<std::unique_ptr<DaemonClient>> DaemonClient::open(const Settings &settings, const Generation &generation,
                                                         const std::vector<std::string> &command,
                                                         const std::optional<CarriedLine> &carried) try {
    const Way way = carried ? Way{carried->address, carried->keys, carried->name}
                            : Way{settings.controller, settings.controller_keys, name_of(settings, generation)};
    auto line = link::DaemonConnection::open(way.address, way.keys, way.name, about(settings, generation, command),
                                             carried ? carried->conversation : json());
    if (!line) return tl::unexpected(line.error());
    std::unique_ptr<DaemonClient> made(new DaemonClient(std::move(*line), way, settings, generation));
    if (!carried) return made;
    made->commands_ = carried->commands;
    made->iteration_ = carried->iteration;
    return made;
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH,
                  std::string("the connection to the daemon cannot be continued: ") + problem.what());
}

void DaemonClient::passed(std::int64_t iteration, const Spent &spent) {
    iteration_ = iteration;
    line_->passed(iteration);
    const bool is_complete = iteration_timer_.iterated(now());
    if (iteration_timer_.iterations() == 0)
        spent_ = {}; // it belongs to no sample
    else
        spent_.add(spent);
    if (!is_complete) return;
    json sample{{"kind", "sample"},
                {"ranks", ranks_},
                {"iteration", iteration},
                {"iterations", iteration_timer_.iterations()},
                {"seconds", iteration_timer_.seconds()}};
    if (spent_.has_stages) {
        sample["compute_seconds"] = spent_.compute;
        sample["communication_seconds"] = spent_.communication;
    }
    if (operations_ > 0) sample["operations"] = operations_ * static_cast<double>(iteration_timer_.iterations());
    line_->say(sample);
    iteration_timer_.begin_sample();
    spent_ = {};
}

std::int64_t DaemonClient::checkpoints_to_command(std::int64_t next) const {
    return std::max<std::int64_t>(0, line_->next_command_at() - next);
}

void DaemonClient::say_done(std::uint64_t command, double seconds, const std::string &message) {
    line_->insist({{"kind", "done"},
                   {"command", command},
                   {"hosts", hosts_},
                   {"generation", generation_},
                   {"iteration", iteration_},
                   {"seconds", seconds},
                   {"message", message}});
    line_->command_ended(command);
}

void DaemonClient::is_done(std::uint64_t command, const std::string &message) { say_done(command, 0, message); }

void DaemonClient::is_refused(std::uint64_t command, const Error &why) {
    line_->insist({{"kind", "refused"}, {"command", command}, {"code", why.code}, {"message", why.what}});
    line_->command_ended(command);
}

void DaemonClient::resize_begins() {
    resizes_ = true;
    iteration_timer_.stop(now());
}

void DaemonClient::resize_ended(const nereus_resize_report &report, const std::string &message, const Generation &now) {
    resizes_ = false;
    iteration_timer_.begin_anew();
    iteration_timer_.go_on(nereus::now());
    std::uint64_t command = 0;
    if (const auto found = commands_.find(report.request); found != commands_.end()) {
        command = found->second;
        commands_.erase(found);
    }
    if (report.code == NEREUS_UNCHANGED) {
        if (command != 0) is_done(command, message);
        return;
    }
    if (report.code != NEREUS_RESIZED) {
        if (command != 0) is_refused(command, {static_cast<nereus_code>(report.code), message});
        return;
    }
    ranks_ = now.control.size();
    hosts_ = now.hosts;
    generation_ = now.number;
    line_->describe({{"hosts", hosts_}, {"generation", generation_}});
    say_done(command, report.pause_seconds, message);
}

void DaemonClient::request_dropped(std::uint64_t request) {
    const auto found = commands_.find(request);
    if (found == commands_.end()) return;
    is_refused(found->second, {NEREUS_ERR_STATE, "the job ended before it began"});
    commands_.erase(found);
}

bool DaemonClient::begin_io(std::uint64_t number, std::int64_t bytes) {
    iteration_timer_.stop(now());
    // A phase at the end of an iteration belongs to it, though its checkpoint comes behind.
    const std::int64_t iteration = iteration_ + (iteration_timer_.is_near_its_end() ? 1 : 0);
    phase_ = {number, bytes, iteration, 0, now(), 0};
    phase_.epoch = line_->wait_for_turn(number, bytes, iteration, patience_);
    phase_.granted = now();
    if (phase_.epoch == 0 && !told_of_silence_)
        print_line("nereus", "the daemon does not answer: I/O phases continue without turns until it answers");
    told_of_silence_ = phase_.epoch == 0;
    return phase_.epoch != 0;
}

void DaemonClient::end_io() {
    const double end = now();
    line_->give_back_turn();
    line_->insist({{"kind", "io_done"},
                   {"number", phase_.number},
                   {"epoch", phase_.epoch},
                   {"bytes", phase_.bytes},
                   {"iteration", phase_.iteration},
                   {"ranks", ranks_},
                   {"wait_seconds", phase_.granted - phase_.asked},
                   {"service_seconds", end - phase_.granted},
                   {"age_seconds", 0}});
    if (!resizes_) iteration_timer_.go_on(end);
}

CarriedLine DaemonClient::carry() {
    return {way_.address, way_.keys, way_.name, iteration_, commands_, line_->as_json()};
}

}
