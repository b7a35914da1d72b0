// SPDX-License-Identifier: BSD-3-Clause
#include "job/state/report.hpp"

#include "base/methods.hpp"
#include "base/settings.hpp"
#include "base/strategies.hpp"
#include "job/state/checked_json.hpp"

#include <cstdio>
#include <string_view>

namespace nereus::job {

using nlohmann::json;

nereus_resize_report report_of(const Request &request, int from) {
    nereus_resize_report report{};
    report.request = request.number;
    report.from = from;
    report.to = request.ranks;
    report.process_method = request.options.process_method;
    report.transfer_method = request.options.transfer_method;
    report.transfer_strategy = request.options.transfer_strategy;
    report.predicted_seconds = -1;
    report.usual_between_hosts = report.between_hosts = -1;
    report.verified = -1;
    return report;
}

json as_json(const nereus_resize_report &r) {
    return {{"request", r.request},
            {"code", r.code},
            {"from", r.from},
            {"to", r.to},
            {"process_method", static_cast<int>(r.process_method)},
            {"transfer_method", static_cast<int>(r.transfer_method)},
            {"transfer_strategy", static_cast<int>(r.transfer_strategy)},
            {"process_strategies", r.process_strategies},
            {"process_seconds", r.process_seconds},
            {"connect_seconds", r.connect_seconds},
            {"constant_seconds", r.constant_seconds},
            {"variable_seconds", r.variable_seconds},
            {"predicted_seconds", r.predicted_seconds},
            {"background_iterations", r.background_iterations},
            {"shared_bytes", r.shared_bytes},
            {"pause_seconds", r.pause_seconds},
            {"constant_bytes", r.constant_bytes},
            {"variable_bytes", r.variable_bytes},
            {"bytes_minimum", r.bytes_minimum},
            {"verified", r.verified},
            {"woken", r.woken},
            {"left", r.left},
            {"parked", r.parked},
            {"usual_between_hosts", r.usual_between_hosts},
            {"between_hosts", r.between_hosts},
            {"state", std::string(r.state)},
            {"reason", std::string(r.reason)},
            {"placed", std::string(r.placed)}};
}

nereus_resize_report report_from(const json &in) {
    nereus_resize_report r{};
    r.request = in.at("request");
    r.code = in.at("code");
    r.from = in.at("from");
    r.to = in.at("to");
    r.process_method =
        static_cast<nereus_process_method>(whole(in, "process_method", int{NEREUS_MERGE}, int{NEREUS_RESTART}));
    r.transfer_method =
        static_cast<nereus_transfer_method>(whole(in, "transfer_method", int{NEREUS_P2P}, int{NEREUS_TRANSFER_AUTO}));
    r.transfer_strategy = static_cast<nereus_transfer_strategy>(
        whole(in, "transfer_strategy", int{NEREUS_BLOCKING}, int{NEREUS_STRATEGY_AUTO}));
    r.process_strategies = in.at("process_strategies");
    r.process_seconds = in.at("process_seconds");
    r.connect_seconds = in.at("connect_seconds");
    r.constant_seconds = in.at("constant_seconds");
    r.variable_seconds = in.at("variable_seconds");
    r.predicted_seconds = in.at("predicted_seconds");
    r.background_iterations = in.at("background_iterations");
    r.shared_bytes = in.at("shared_bytes");
    r.pause_seconds = in.at("pause_seconds");
    r.constant_bytes = in.at("constant_bytes");
    r.variable_bytes = in.at("variable_bytes");
    r.bytes_minimum = in.at("bytes_minimum");
    r.verified = in.at("verified");
    r.woken = in.at("woken");
    r.left = in.at("left");
    r.parked = in.at("parked");
    write_into(r.state, in.at("state"));
    r.usual_between_hosts = in.at("usual_between_hosts");
    r.between_hosts = in.at("between_hosts");
    write_into(r.reason, in.at("reason"));
    write_into(r.placed, in.at("placed"));
    return r;
}

json for_people(const nereus_resize_report &r) {
    return {{"from", r.from},
            {"to", r.to},
            {"process_method", word_of(words::process_methods, r.process_method)},
            {"process_strategies", strategies::list_of(r.process_strategies)},
            {"transfer_method", word_of(words::transfer_methods, r.transfer_method)},
            {"transfer_strategy", word_of(words::transfer_strategies, r.transfer_strategy)},
            {"process_seconds", r.process_seconds},
            {"connect_seconds", r.connect_seconds},
            {"constant_seconds", r.constant_seconds},
            {"variable_seconds", r.variable_seconds},
            {"predicted_seconds", r.predicted_seconds},
            {"pause_seconds", r.pause_seconds},
            {"background_iterations", r.background_iterations},
            {"constant_bytes", r.constant_bytes},
            {"variable_bytes", r.variable_bytes},
            {"shared_bytes", r.shared_bytes},
            {"bytes_minimum", r.bytes_minimum},
            {"verified", r.verified == 1},
            {"woken", r.woken},
            {"left", r.left},
            {"parked", r.parked},
            {"usual_between_hosts", r.usual_between_hosts},
            {"between_hosts", r.between_hosts},
            {"state", std::string(r.state)},
            {"reason", std::string(r.reason)},
            {"placed", std::string(r.placed)}};
}

namespace {

/// " with p2p, wait-drains: predicted 0.31 s, took 0.35 s (...)"
std::string about_choice(const nereus_resize_report &report, const std::string &why_chosen) {
    if (report.predicted_seconds < 0) return "";
    char seconds[80];
    std::snprintf(seconds, sizeof seconds, ": predicted %.2g s, took %.2g s", report.predicted_seconds,
                  report.constant_seconds + report.variable_seconds);
    return " with " + words_of_transfer(report.transfer_method, report.transfer_strategy) + seconds +
           (why_chosen.empty() ? "" : " (" + why_chosen + ")");
}

}

std::string rolled_back_at_close(const nereus_resize_report &report) {
    const std::string what = "resize " + std::to_string(report.request) + " from " + std::to_string(report.from) +
                             " to " + std::to_string(report.to) + " processes was rolled back: the job ended while ";
    if (std::string_view(report.state) != "making") return what + "its data was on its way";
    return what + "its newcomers were starting (with NEREUS_PROCESS_STRATEGIES=none the application waits for them)";
}

std::string sentence(const nereus_resize_report &report, const std::string &why_chosen) {
    const std::string what = "resize " + std::to_string(report.request) + " from " + std::to_string(report.from) +
                             " to " + std::to_string(report.to) + " processes";
    const std::string placed = report.placed[0] == '\0' ? "" : "; " + std::string(report.placed);
    if (report.code == NEREUS_UNCHANGED) return what + ": the job has that size already" + placed;
    if (report.code == NEREUS_RESIZED) return what + " is done" + about_choice(report, why_chosen) + placed;
    return what + " was rolled back while " + report.state + ": " + report.reason + ". The job continues with " +
           std::to_string(report.from) + " processes.";
}

}
