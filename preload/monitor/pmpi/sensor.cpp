// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/sensor.hpp"

#include "base/printable.hpp"
#include "pmpi/agreement.hpp"
#include "pmpi/captured.hpp"
#include "pmpi/decomposed.hpp"
#include "pmpi/gather.hpp"
#include "pmpi/meetings.hpp"
#include "pmpi/members.hpp"
#include "pmpi/options.hpp"
#include "pmpi/other_tools.hpp"
#include "pmpi/output.hpp"
#include "pmpi/present.hpp"
#include "pmpi/traced.hpp"
#include "pmpi/variables.hpp"
#include "pmpi/worlds.hpp"
#include "record/lines.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <mpi.h>

namespace nereus::pmpi {

std::atomic<bool> recording{false};

namespace {

std::atomic<monitor::Record *> the_record{nullptr};

/// What a process keeps from begin to end besides its record.
struct Run {
    Options options;
    const char *sensor = "";
    Story story;
    std::string file;              ///< of the run
    std::string parts;             ///< folder
    std::string part;              ///< the record of this process; "": it lies in memory alone
    MPI_Comm all = MPI_COMM_NULL;  ///< the program's communicator of all processes
    MPI_Comm comm = MPI_COMM_NULL; ///< ours
    int rank = 0, ranks = 1;
};

Run &run() {
    static auto *of_this_process = new Run;
    return *of_this_process;
}

constexpr const char *windows_file = "record-until"; // docs/formats/trace.md

void say(const std::string &sentence) { print_line("nereus monitor", sentence); }

std::string host_name() {
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    PMPI_Get_processor_name(name, &length);
    return name;
}

std::string library_version() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    PMPI_Get_library_version(text, &length);
    const std::string version(text, length);
    return version.substr(0, version.find('\n'));
}

void name_files() {
    const std::string world = run().story.world.data();
    run().file = run().options.file.empty() ? "nereus-monitor-" + world + ".jsonl" : run().options.file;
    run().parts = run().options.parts.empty() ? run().file + ".parts" : run().options.parts;
    std::error_code trouble;
    std::filesystem::create_directories(run().parts, trouble);
    if (!trouble) run().part = run().parts + "/" + world + "-" + std::to_string(run().rank) + ".part";
}

monitor::RecordFacts facts() {
    return {run().part,  run().story.world.data(), host_name(),          run().rank,
            run().ranks, run().story.started,      run().options.window, run().options.windows};
}

/// In a file, so that it outlives this process; else in memory.
Result<std::unique_ptr<monitor::Record>> begin_record() {
    auto made = monitor::Record::begin(facts());
    if (made || run().part.empty()) return made;
    const std::string why = made.error().what;
    run().part.clear();
    made = monitor::Record::begin(facts());
    if (made) (*made)->unseen("the end of this process, were it killed", why);
    return made;
}

void tell_world() {
    if (run().rank != 0) return;
    record().tell({{"event", "world_started"},
                   {"world", run().story.world.data()},
                   {"ranks", run().ranks},
                   {"sensor", run().sensor},
                   {"mpi", library_version()},
                   {"started_unix", run().story.started},
                   {"window_seconds", run().options.window}});
    for (const std::string &refused : run().options.refused) {
        record().unseen("a setting", refused);
        say(refused);
    }
    if (const auto tool = other_tool()) {
        record().unseen("another tool", *tool);
        say(*tool);
    }
}

/// `nereus run` gives its processes the key of the job, and of the one that it continues.
void tell_job() {
    const char *const job = std::getenv("NEREUS_JOB");
    if (job == nullptr || *job == '\0') return;
    nlohmann::ordered_json line{{"event", "supervised"}, {"job", job}};
    if (const char *before = std::getenv("NEREUS_CONTINUES"); before != nullptr && *before != '\0')
        line["continues"] = before;
    record().tell(line);
}

void write_own(const TakeText &take) {
    monitor::lines_of(record().arena(), [&](const nlohmann::ordered_json &line) {
        take(monitor::encoded(line, run().options.encoding));
    });
}

nlohmann::ordered_json header() {
    return {{"event", "header"}, {"format", "nereus-monitor"}, {"version", 1}, {"run", run().options.run}};
}

/// On rank 0, which has the file; all other processes bring their lines.
Done write_file() {
    auto output = Output::begin(run().file, run().options.encoding, run().options.run.empty());
    const auto take = [&](std::string_view text) {
        if (output) output->write(text);
    };
    if (output && output->is_new()) output->write_event(header());
    gather(run().comm, write_own, take);
    if (!output) return tl::unexpected(output.error());
    output->write_event({{"event", "world_ended"}, {"world", run().story.world.data()}});
    return output->finish();
}

/// Whether the file has it all, on every rank.
bool write_all() {
    int is_written = 1;
    if (run().rank != 0) {
        gather(run().comm, write_own, {});
    } else if (const Done written = write_file(); !written) {
        is_written = 0;
        say(written.error().what + ". The records of the processes are kept in " + run().parts);
    }
    PMPI_Bcast(&is_written, 1, MPI_INT, 0, run().comm);
    return is_written != 0;
}

void remove_parts() {
    std::error_code gone_already;
    if (!run().part.empty()) std::filesystem::remove(run().part, gone_already);
    PMPI_Barrier(run().comm);
    if (run().options.parts.empty()) std::filesystem::remove(run().parts, gone_already);
}

Done begin_capture_or_trace() {
    const Options &options = run().options;
    const std::string world = run().story.world.data();
    if (!options.trace.empty()) {
        TraceLimits limits = options.trace_limits;
        limits.windows.file = options.trace + "/" + windows_file;
        return begin_trace({run().all, options.trace, options.most_events, world, host_name(), run().comm, run().rank,
                            run().ranks, limits});
    }
    return begin_captured({options.calls, options.most_calls, world, run().rank, run().ranks});
}

/// What all processes of the world have in common.
struct Agreed {
    bool have_records, note_alike;
};

/// Collective. Before there is a record: its sensors would see these messages too.
Agreed agree_on(bool has_record) {
    const int own = !run().options.trace.empty() ? 2 : !run().options.calls.empty() ? 1 : 0;
    std::array<int, 3> least{has_record, own, -own};
    PMPI_Allreduce(MPI_IN_PLACE, least.data(), 3, MPI_INT, MPI_MIN, run().comm);
    return {least[0] != 0, least[1] == -least[2]};
}

/// A launcher may have handed on our settings to some processes alone: then none of them waits for the others.
void note_no_calls() {
    if (run().rank == 0)
        say("not all processes got our settings from their launcher: the times of calls are not noted");
    run().options.trace.clear();
    run().options.calls.clear();
}

/// From about the same moment on in all processes.
void begin_calls() {
    if (run().options.calls.empty() && run().options.trace.empty()) return;
    PMPI_Barrier(run().comm);
    if (const Done begun = begin_capture_or_trace(); !begun)
        say(begun.error().what + ": the times of calls are not noted");
}

/// `all_end`: all processes of the world are here.
void end_calls(bool all_end) {
    if (!run().options.trace.empty() && all_end) {
        const ClockOffset offset = offset_to_root(run().comm, boot_id());
        end_trace(&offset);
    }
    end_trace(nullptr);
    if (const Done ended = end_captured(); !ended) say(ended.error().what);
}

}

bool has_record() { return the_record.load(std::memory_order_acquire) != nullptr; }
monitor::Record &record() { return *the_record.load(std::memory_order_acquire); }

void begin(const char *sensor, const World &world) {
    if (has_record()) return;
    run().sensor = sensor;
    run().all = world.all;
    run().options = read_options();
    if (!run().options.has_record) return;
    const auto story = agree(world.all, run().options.time_limit);
    if (!story) return say(story.error().what + ": nothing is recorded");
    run().story = *story;
    world.make_own(world.all, &run().comm);
    PMPI_Comm_rank(run().comm, &run().rank); // not always as in the program's
    PMPI_Comm_size(run().comm, &run().ranks);
    if (run().options.has_file) name_files();
    auto made = begin_record();
    const Agreed agreed = agree_on(made.has_value());
    if (!agreed.have_records) {
        if (!made) say(made.error().what + ": nothing is recorded");
        PMPI_Comm_free(&run().comm);
        return;
    }
    the_record.store(made->release(), std::memory_order_release);
    tell_world();
    tell_job();
    if (world.all == MPI_COMM_WORLD) met_parents();
    watch_decomposed(run().comm, run().options.model);
    show_variables();
    recording = run().options.record;
    if (!agreed.note_alike) note_no_calls();
    begin_calls();
}

MPI_Comm own_world() { return run().comm; }

namespace {

void stop_recording() {
    recording = false;
    unwatch_decomposed();
    record().end(monitor::End::finalized);
}

void forget_record() {
    forget_members();
    forget_present();
    forget_variables();
    worlds().clear();
    PMPI_Comm_free(&run().comm);
    delete the_record.exchange(nullptr);
}

}

void end() {
    if (!has_record()) return;
    end_calls(true);
    stop_recording();
    if (run().options.has_file && write_all()) remove_parts();
    forget_record();
}

void end_if_all_do() {
    if (!has_record()) return;
    if (agree(run().comm, run().options.time_limit)) return end();
    end_calls(false);
    say("other processes did not end: the record of this one is " +
        (run().options.has_file ? "kept in " + run().parts : std::string("lost")));
    stop_recording();
    forget_record();
}

void abort() {
    if (!has_record()) return;
    recording = false;
    record().end(monitor::End::aborted);
}

}
