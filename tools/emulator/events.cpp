// SPDX-License-Identifier: BSD-3-Clause
#include "events.hpp"

#include <array>
#include <cmath>
#include <ctime>

#include "base/strategies.hpp"

namespace emulator {

namespace {

std::string library_of_mpi() {
    std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING);
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string all(text.data());
    return all.substr(0, all.find_first_of("\r\n"));
}

std::string host() {
    std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
    int length = 0;
    MPI_Get_processor_name(name.data(), &length);
    return name.data();
}

std::string iso_8601(double started_unix) {
    const auto seconds = static_cast<std::time_t>(std::floor(started_unix));
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, sizeof "2000-01-01T00:00:00Z"> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text.data();
}

Json left_event(const nereus_resize_report &report, int ranks, const char *how) {
    return {{"event", "left"}, {"request", report.request}, {"ranks", ranks}, {"how", how}};
}

/// A figure that is below 0 where nobody knows it.
Json known(double figure) { return figure < 0 ? Json(nullptr) : Json(figure); }

Json committed_event(const nereus_resize_report &report) {
    return {{"event", "committed"},
            {"request", report.request},
            {"from", report.from},
            {"to", report.to},
            {"process_method", name_of(report.process_method)},
            {"process_strategies", nereus::strategies::list_of(report.process_strategies)},
            {"transfer_method", name_of(report.transfer_method)},
            {"transfer_strategy", name_of(report.transfer_strategy)},
            {"variable_bytes", report.variable_bytes},
            {"variable_seconds", report.variable_seconds},
            {"pause_seconds", report.pause_seconds},
            {"bytes_moved", report.constant_bytes + report.variable_bytes},
            {"bytes_minimum", report.bytes_minimum},
            {"shared_bytes", report.shared_bytes},
            {"usual_between_hosts", known(report.usual_between_hosts)},
            {"between_hosts", known(report.between_hosts)},
            {"placed", report.placed[0] == '\0' ? Json(nullptr) : Json(report.placed)},
            {"predicted_seconds", known(report.predicted_seconds)},
            {"verified", report.verified == 1 ? Json(true) : Json(nullptr)}};
}

} // namespace

Json header_event(const Run &run, double started_unix) {
    return {{"event", "header"},
            {"format", "nereus-results"},
            {"version", 1},
            {"nereus_version", nereus_version()},
            {"mpi", library_of_mpi()},
            {"host", host()},
            {"started", iso_8601(started_unix)},
            {"started_unix", started_unix},
            {"seed", run.seed},
            {"units", {{"time", "s"}, {"size", "B"}}},
            {"run", run.document}};
}

Json generation_started_event(std::int64_t group, const std::vector<std::string> &hosts, double calibration_seconds) {
    return {{"event", "generation_started"},
            {"group", group},
            {"ranks", hosts.size()},
            {"hosts", hosts},
            {"calibration_seconds", calibration_seconds}};
}

Json failure_event(const FailureSpec &failure, const Dying &dying, double calibration_seconds) {
    return {{"event", "failure"}, {"iteration", failure.iteration}, {"what", failure.whole_host ? "host" : "rank"},
            {"rank", dying.rank}, {"died", dying.ranks.size()},     {"calibration_seconds", calibration_seconds}};
}

Json resumed_event(std::int64_t iteration, std::int64_t group, int ranks, double calibration_seconds) {
    return {{"event", "resumed"},
            {"iteration", iteration},
            {"group", group},
            {"ranks", ranks},
            {"calibration_seconds", calibration_seconds}};
}

Json calibrated_event(std::int64_t group, std::size_t phase, std::size_t stage, const StagePlan &plan) {
    return {{"event", "calibrated"},
            {"group", group},
            {"phase", phase},
            {"stage", stage},
            {"operations", plan.operations},
            {"seconds_per_operation", plan.seconds_per_operation}};
}

Json progress_event(const IterationRecord &record, std::int64_t iterations, int ranks) {
    return {{"event", "progress"},      {"group", record.group},
            {"phase", record.phase},    {"iteration", record.iteration + 1},
            {"iterations", iterations}, {"ranks", ranks},
            {"seconds", record.seconds}};
}

Json iteration_event(const IterationRecord &record) {
    return {{"event", "iteration"},
            {"group", record.group},
            {"phase", record.phase},
            {"iteration", record.iteration},
            {"start", record.start},
            {"seconds", record.seconds},
            {"stage_seconds", record.stage_seconds},
            {"background", record.background}};
}

Json stage_totals_event(const StageTotals &totals) {
    return {{"event", "stage_totals"},
            {"group", totals.group},
            {"phase", totals.phase},
            {"iterations", totals.iterations},
            {"seconds", totals.seconds}};
}

Json resize_asked_event(std::int64_t request, int from, int to, std::int64_t at_iteration) {
    return {{"event", "resize_asked"}, {"request", request},          {"from", from}, {"to", to},
            {"by", "experiment"},      {"at_iteration", at_iteration}};
}

std::vector<Json> committed_events(const nereus_resize_report &report, IterationRange meanwhile) {
    std::vector<Json> events;
    events.push_back({{"event", "processes_ready"},
                      {"request", report.request},
                      {"method", name_of(report.process_method)},
                      {"strategies", nereus::strategies::list_of(report.process_strategies)},
                      {"seconds", report.process_seconds},
                      {"connect_seconds", report.connect_seconds},
                      {"woken", report.woken}});
    events.push_back({{"event", "constant_sent"},
                      {"request", report.request},
                      {"method", name_of(report.transfer_method)},
                      {"strategy", name_of(report.transfer_strategy)},
                      {"bytes", report.constant_bytes},
                      {"seconds", report.constant_seconds},
                      {"iterations", meanwhile.count},
                      {"first_iteration", meanwhile.end - meanwhile.count}});
    events.push_back(committed_event(report));
    if (report.left > 0) events.push_back(left_event(report, report.left, "exited"));
    if (report.parked > 0) events.push_back(left_event(report, report.parked, "parked"));
    return events;
}

Json resize_undone_event(const nereus_resize_report &report) {
    return {{"event", "resize_undone"}, {"request", report.request}, {"from", report.from},
            {"to", report.to},          {"state", report.state},     {"code", nereus_code_name(report.code)},
            {"reason", report.reason}};
}

} // namespace emulator
