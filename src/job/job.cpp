// SPDX-License-Identifier: BSD-3-Clause
#include "job/job.hpp"

#include "job/binding.hpp"
#include "job/next_generation.hpp"

#include <cstdio>

namespace nereus::job {
namespace {

/// MPI keeps the link to the parents for ever, but a process is a newcomer only once.
MPI_Comm take_parent() {
    static bool taken = false;
    MPI_Comm parent = MPI_COMM_NULL;
    if (!taken) MPI_Comm_get_parent(&parent);
    taken = true;
    return parent;
}

plan::World shared_world(MPI_Comm comm) {
    plan::World world = new_world();
    MPI_Bcast(&world, 1, MPI_UINT64_T, 0, comm);
    return world;
}

void say_dropped(const Request &request) {
    std::fprintf(stderr, "nereus: resize %llu to %d processes was dropped: the job ended before it began\n",
                 static_cast<unsigned long long>(request.number), request.ranks);
}

}

Result<std::unique_ptr<Job>> Job::open(MPI_Comm founders, int argc, const char *const *argv) {
    auto settings = read_settings(argc, argv);
    if (!settings) return tl::unexpected(settings.error());
    auto job = std::make_unique<Job>();
    job->members_.settings = *settings;
    job->members_.program = process::Program::here(argc, argv);
    const MPI_Comm parent = take_parent();
    auto done = parent == MPI_COMM_NULL ? job->found(founders) : job->arrive(parent);
    if (!done) return tl::unexpected(done.error());
    return job;
}

Done Job::found(MPI_Comm founders) {
    auto control = mpi::Comm::duplicate(founders);
    if (!control) return tl::unexpected(control.error());
    auto first = generation_of(std::move(*control));
    if (!first) return tl::unexpected(first.error());
    members_.generation = std::move(*first);
    members_.generation.worlds.assign(static_cast<std::size_t>(members_.generation.control.size()),
                                      shared_world(members_.generation.control.get()));
    return {};
}

Done Job::arrive(MPI_Comm link) {
    auto report = join(members_, mpi::Comm(link));
    if (!report) return tl::unexpected(report.error());
    report_ = *report;
    return {};
}

Done Job::add_array(const Description &is, void **pointer, const nereus_memory *own_memory) {
    const mpi::Comm &control = members_.generation.control;
    const plan::Range part = plan::Cut{is.layout, is.elements, control.size()}.range_of(control.rank());
    if (members_.registry.expects_more()) {
        auto bound = members_.registry.bind(is);
        if (!bound) return tl::unexpected(bound.error());
        return bind_array(**bound, part.count(), pointer, own_memory);
    }
    Entry entry{is, nullptr, pointer, own_memory ? *own_memory : library_memory(), own_memory == nullptr};
    if (own_memory) {
        entry.data = *pointer;
        return members_.registry.add(entry);
    }
    if (auto done = allocate_zeroed(entry, part); !done) return done;
    auto done = members_.registry.add(entry);
    if (!done) entry.release(entry.data);
    if (done) entry.point();
    return done;
}

Done Job::add_value(const Description &is, void *value) {
    if (!members_.registry.expects_more()) {
        Entry entry{is, value, nullptr, c_memory(), false};
        return members_.registry.add(entry);
    }
    auto bound = members_.registry.bind(is);
    if (!bound) return tl::unexpected(bound.error());
    bind_value(**bound, value);
    return {};
}

nereus_resize_options Job::usual_options() const {
    const Settings &settings = members_.settings;
    nereus_resize_options options{};
    options.process_method = static_cast<nereus_process_method>(settings.process_method);
    options.transfer_method = static_cast<nereus_transfer_method>(settings.transfer_method);
    options.process_strategies = settings.process_strategies;
    options.placement = static_cast<nereus_placement>(settings.placement);
    options.release_unit = static_cast<nereus_release_unit>(settings.release_unit);
    options.oversubscribe = settings.oversubscribe ? 1 : 0;
    options.allow_fewer = settings.allow_fewer ? 1 : 0;
    return options;
}

Result<std::uint64_t> Job::request(int ranks, const nereus_resize_options &options) {
    if (ranks < 1 || ranks > members_.settings.max_ranks)
        return failed(NEREUS_ERR_RANGE, "a job cannot have " + std::to_string(ranks) + " processes: allowed is 1 .. " +
                                            std::to_string(members_.settings.max_ranks) + " (setting max-ranks)");
    return members_.requests.add(ranks, options);
}

Result<nereus_code> Job::checkpoint() {
    Request request;
    if (announcement_.under_way()) {
        auto told = announcement_.finish();
        if (!told) return tl::unexpected(told.error());
        request = *told;
    }
    if (request.number != 0) return carry_out(request);
    auto done = announcement_.start(members_.generation.control.get(), members_.requests.take());
    if (!done) return tl::unexpected(done.error());
    return NEREUS_GO_ON;
}

nereus_code Job::carry_out(const Request &request) {
    report_ = resize(members_, request, departure_);
    message_ = sentence(report_);
    if (report_.code != NEREUS_RESIZED) return NEREUS_GO_ON;
    leaving_ = departure_.fate != plan::Fate::stays;
    return leaving_ ? NEREUS_LEAVE : NEREUS_RESIZED;
}

void Job::close() {
    if (leaving_) {
        members_.registry = {};
        if (departure_.fate == plan::Fate::parks) process::sleep_in(std::move(departure_.lot));
        return;
    }
    Request announced;
    if (announcement_.under_way()) announced = announcement_.finish().value_or(Request{});
    if (members_.generation.control.rank() == 0) {
        if (announced.number != 0) say_dropped(announced);
        while (!members_.requests.empty()) say_dropped(members_.requests.take());
    }
    members_.parked.release_all();
}

std::string sentence(const nereus_resize_report &report) {
    const std::string what = "resize " + std::to_string(report.request) + " from " + std::to_string(report.from) +
                             " to " + std::to_string(report.to) + " processes";
    if (report.code == NEREUS_UNCHANGED) return what + ": the job has that size already";
    if (report.code == NEREUS_RESIZED) return what + " is done";
    return what + " was undone while " + report.state + ": " + report.reason + ". The job goes on with " +
           std::to_string(report.from) + " processes.";
}

}
