// SPDX-License-Identifier: BSD-3-Clause
#include "job/timing/result_file.hpp"

#include "base/clock.hpp"
#include "base/cores.hpp"
#include "base/printable.hpp"
#include "job/state/report.hpp"
#include "mpi/library.hpp"

#include <algorithm>
#include <fstream>

namespace nereus::job {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char *format = "nereus-measured";

ordered_json header(const JobState &members) {
    return {{"format", format},
            {"version", 1},
            {"nereus_version", nereus_version()},
            {"mpi", mpi::library()},
            {"host", members.generation.hosts.front()},
            {"program", members.program.path},
            {"arguments", members.program.arguments},
            {"units", {{"time", "s since 1970-01-01 UTC"}, {"seconds", "s"}, {"bytes", "B"}}}};
}

/// `key` of each process' own figures.
ordered_json of_each(const std::vector<json> &processes, const char *key) {
    ordered_json values = ordered_json::array();
    for (const json &process : processes) values.push_back(ordered_json(process.at(key)));
    return values;
}

/// `key` of stage `name` of each process; null where it had none.
ordered_json of_stage(const std::vector<json> &processes, const std::string &name, const char *key) {
    ordered_json values = ordered_json::array();
    for (const json &process : processes) {
        ordered_json value;
        for (const json &stage : process.at("stages"))
            if (stage.at("name") == name) value = stage.at(key);
        values.push_back(value);
    }
    return values;
}

/// In the order in which the lowest ranks had them.
std::vector<json> different_stages(const std::vector<json> &processes) {
    std::vector<json> stages;
    for (const json &process : processes)
        for (const json &stage : process.at("stages"))
            if (std::none_of(stages.begin(), stages.end(),
                             [&](const json &known) { return known.at("name") == stage.at("name"); }))
                stages.push_back(stage);
    return stages;
}

ordered_json stages_of(const std::vector<json> &processes) {
    ordered_json stages = ordered_json::array();
    for (const json &stage : different_stages(processes)) {
        const std::string name = stage.at("name");
        stages.push_back({{"name", name},
                          {"kind", stage.at("kind")},
                          {"bytes", stage.at("bytes")},
                          {"iterations", of_stage(processes, name, "iterations")},
                          {"seconds", of_stage(processes, name, "median")},
                          {"total_seconds", of_stage(processes, name, "total")}});
    }
    return stages;
}

/// Whether a job has written its header there.
bool has_header(const std::string &path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    const json first = json::parse(line, nullptr, false);
    return first.is_object() && first.value("event", json()) == "header" && first.value("format", json()) == format;
}

}

Result<Record> Record::of_founders(const JobState &members) {
    if (members.settings.restarted) return continued(members);
    const bool goes_on = !members.settings.resume.empty() && has_header(members.settings.results);
    const auto start = goes_on ? LinesFile::Start::append : LinesFile::Start::anew;
    auto record = Record(LinesFile(members.settings.results, start)).if_writable();
    if (!record) return record;
    record->kept_generation_ = members.generation.number;
    if (!goes_on) record->write("header", 0, header(members));
    if (!members.settings.resume.empty())
        record->write("resumed", members.generation.number, {{"iteration", members.iteration}});
    return record;
}

Result<Record> Record::if_writable() && {
    if (const auto &trouble = file_.trouble())
        return failed(NEREUS_ERR_SETTING,
                      "results = " + *trouble + ": allowed is a file that can be written, or empty");
    return std::move(*this);
}

Record Record::continued(const JobState &members) {
    Record record(LinesFile(members.settings.results, LinesFile::Start::append));
    record.kept_generation_ = members.generation.number - 1;
    return record;
}

void Record::keep(const JobState &members, const std::vector<mpi::Bytes> &each) {
    std::vector<json> processes;
    for (const mpi::Bytes &bytes : each) processes.push_back(json::parse(bytes));
    if (processes.empty()) return;
    kept_generation_ = members.generation.number;
    kept_ = {{"ranks", processes.size()},
             {"hosts", members.generation.hosts},
             {"cores", usable_cores()},
             {"iterations", processes.front().at("iterations")},
             {"seconds", processes.front().at("seconds")},
             {"iteration_seconds", of_each(processes, "iteration_median")},
             {"iteration_total_seconds", of_each(processes, "iteration_total")},
             {"checkpoint_seconds", of_each(processes, "checkpoint_median")},
             {"checkpoint_total_seconds", of_each(processes, "checkpoint_total")},
             {"constant_bytes", members.registry.bytes_of_arrays(true)},
             {"variable_bytes", members.registry.bytes_of_arrays(false)},
             {"memory", members.settings.memory == memory_shared ? "shared" : "private"},
             {"stages", stages_of(processes)}};
}

void Record::generation_ended() { write_kept(); }

/// Where another process was rank 0 of that generation, it has written it.
void Record::write_kept() {
    if (!kept_.is_null()) write("generation_ended", kept_generation_, kept_);
}

void Record::resize_ended(const nereus_resize_report &report) {
    const bool is_done = report.code == NEREUS_RESIZED;
    if (is_done) write_kept();
    ordered_json told = for_people(report);
    told["request"] = report.request;
    const char *event = is_done ? "committed" : report.code == NEREUS_UNCHANGED ? "resize_unneeded" : "resize_undone";
    write(event, kept_generation_ + is_done, told);
}

void Record::epoch_ended(const JobState &members, const Result<SavedEpoch> &saved, bool in_memory) {
    ordered_json told{{"iteration", members.iteration}, {"in_memory", in_memory}};
    if (saved)
        told.update({{"epoch", saved->number}, {"bytes", saved->bytes}, {"seconds", saved->seconds}});
    else
        told.update({{"code", static_cast<int>(saved.error().code)}, {"reason", saved.error().what}});
    write(saved ? "epoch_saved" : "epoch_not_saved", members.generation.number, told);
}

void Record::job_ended() {
    write_kept();
    write("finished", kept_generation_, ordered_json::object());
}

void Record::write(const char *event, std::int64_t generation, const ordered_json &more) {
    if (!file_.is_open() && !file_.trouble()) return;
    ordered_json line{{"event", event}, {"time", unix_now()}, {"generation", generation}};
    line.update(more);
    file_.write(line);
    if (!file_.trouble() || has_complained_) return;
    print_line("nereus", *file_.trouble() + "; nothing more is written there");
    has_complained_ = true;
}

}
