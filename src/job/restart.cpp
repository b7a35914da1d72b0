// SPDX-License-Identifier: BSD-3-Clause
#include "job/restart.hpp"

#include "base/clock.hpp"
#include "job/data/shared_arrays.hpp"
#include "job/resize/next_root.hpp"
#include "job/saving/epoch_saving.hpp"
#include "job/saving/kept_files.hpp"
#include "job/state/monitor_client.hpp"
#include "job/state/report.hpp"
#include "mpi/share.hpp"
#include "plan/host_allocation.hpp"
#include "plan/spawn_groups.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace nereus::job {
namespace {

using nlohmann::json;

/// Where the supervisor starts processes: as many as are wanted, and as many as there are where that fails.
struct Places {
    plan::Party after, before;
};

Result<plan::Party> party_on(const std::vector<Host> &hosts, int ranks, const nereus_resize_options &options,
                             bool oversubscribe) {
    // What ranks sent each other is not known to those who come.
    const auto placement = options.placement == NEREUS_SPREAD ? plan::Placement::spread : plan::Placement::compact;
    const auto named = plan::place(hosts, {}, ranks, placement, oversubscribe, true);
    if (!named) return tl::unexpected(named.error());
    return plan::parties_of(*named, plan::ReleaseUnit::job, 0, 1).front();
}

/// On rank 0.
Result<Places> places(const JobState &job, const Request &request, const std::vector<Host> &hosts_before) {
    auto after = party_on(job.hosts, request.ranks, request.options, request.options.oversubscribe != 0);
    if (!after) return tl::unexpected(after.error());
    auto before = party_on(hosts_before, job.generation.control.size(), request.options, true);
    if (!before) return tl::unexpected(before.error());
    return Places{std::move(*after), std::move(*before)};
}

/// On rank 0: the data is this user's alone.
Done make_private(const std::string &folder) {
    std::error_code problem;
    std::filesystem::create_directories(std::filesystem::path(folder).parent_path(), problem);
    if (mkdir(folder.c_str(), S_IRWXU) == 0) return {};
    struct stat found{};
    if (errno == EEXIST && lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
        (found.st_mode & (S_IRWXG | S_IRWXO)) == 0)
        return {};
    return failed(NEREUS_ERR_SETTING, "restart-folder = " + folder +
                                          ": cannot be made, or is not this user's alone: " + std::strerror(errno));
}

/// Whether the processes that come are on the one host of those that leave, where the supervisor is too.
bool stays_on_host(const JobState &job, const Places &places) {
    const auto &hosts = job.generation.hosts;
    const std::string &here = hosts.front();
    const auto is_here = [&](const plan::Share &share) {
        return share.host.empty() || plan::same_host(share.host, here);
    };
    return std::ranges::all_of(hosts, [&](const std::string &host) { return host == here; }) &&
           std::ranges::all_of(places.after.shares, is_here) && std::ranges::all_of(places.before.shares, is_here);
}

/// Collective: the files that the supervisor has open; what it has not is written.
Result<std::vector<KeptArray>> keep_memory(JobState &job, std::uint64_t request, bool is_possible) {
    json handles(job.registry.entries().size(), json());
    if (is_possible) handles = handles_of(segments_of(job.registry));
    auto files = keep_files(job, request, no_epoch, handles);
    if (!files) return tl::unexpected(files.error());
    std::vector<KeptArray> kept;
    for (auto &file : *files) kept.push_back({std::move(file), {}});
    kept.resize(job.registry.entries().size());
    return kept;
}

/// What of the data stays where it is, and what is written and read.
void count_bytes(const EpochDocument &document, nereus_resize_report &report) {
    for (const SavedEntry &entry : document.entries) {
        if (entry.is.value) continue;
        std::int64_t &sum = entry.kept.file     ? report.shared_bytes
                            : entry.is.constant ? report.constant_bytes
                                                : report.variable_bytes;
        sum += entry.is.bytes();
    }
}

nereus_resize_report undone(nereus_resize_report report, const Error &why) {
    report.code = why.code;
    write_into(report.state, "ready");
    write_into(report.reason, why.what);
    return report;
}

}

Done check_can_restart(const JobState &job, const nereus_resize_options &options) {
    if (job.settings.restart_folder.empty() || !job.supervisor)
        return failed(NEREUS_ERR_UNSUPPORTED, "restart needs a supervisor that starts the processes anew, and a folder "
                                              "that all of them see: start the job with `nereus run`, on several "
                                              "hosts with --save or --restart-folder");
    if (options.release_unit == NEREUS_UNIT_RANK || job.settings.start_ranks != 0)
        return failed(NEREUS_ERR_UNSUPPORTED, "restart does not go with the release unit rank: all processes leave");
    return check_can_be_saved();
}

nereus_resize_report leave_for_restart(JobState &job, const Request &request, const std::vector<Host> &hosts_before) {
    const MonitoredState saving(activities::resize, "saving");
    RestartRecord record;
    record.began_unix = unix_now();
    record.report = report_of(request, job.generation.control.size());
    const bool is_root = job.generation.control.rank() == 0;
    const auto found = is_root ? places(job, request, hosts_before) : Result<Places>(Places{});
    Done possible = found ? Done{} : Done(tl::unexpected(found.error()));
    if (possible && is_root) possible = make_private(job.settings.restart_folder);
    if (auto done = mpi::share_outcome(job.generation.control.get(), 0, possible); !done)
        return undone(record.report, done.error());
    record.hosts_before = hosts_before;
    const bool may_stay = is_root && stays_on_host(job, *found);
    const auto keep = [&](std::uint64_t) { return keep_memory(job, request.number, may_stay); };
    const auto complete = [&](EpochDocument &document) {
        count_bytes(document, record.report);
        record.root = next_root_of(job);
        record.saved_unix = unix_now();
        document.restart = record;
    };
    const auto saved = save_epoch(job, {job.settings.restart_folder, keep, complete});
    if (!saved) return undone(record.report, saved.error());
    record.report.code = NEREUS_RESIZED;
    job.daemon_client.reset();
    if (is_root && job.supervisor) job.supervisor->say_restart(request.number, found->after, found->before);
    return record.report;
}

nereus_resize_report arrive_by_restart(JobState &job, RestartRecord record, double opened_unix) {
    nereus_resize_report report = record.report;
    const double now = unix_now();
    report.code = NEREUS_RESIZED;
    // Clocks of two hosts may differ, and one may be set meanwhile.
    report.process_seconds = std::max(0.0, opened_unix - record.saved_unix);
    report.variable_seconds = std::max(0.0, now - record.began_unix - report.process_seconds);
    report.pause_seconds = std::max(0.0, now - record.began_unix);
    report.left = report.from;
    const bool is_undone = job.generation.control.size() != report.to;
    if (is_undone)
        report = undone(report, {NEREUS_ERR_PROCESS, "the new processes ended before they had opened the job"});
    if (job.generation.control.rank() != 0) return report;
    if (is_undone) record.root.hosts = std::move(record.hosts_before);
    become_root(job, std::move(record.root));
    return report;
}

}
