// SPDX-License-Identifier: BSD-3-Clause
#include "trial_lines.hpp"

#include "tools/common/lines.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

namespace transfers {
namespace {

using nlohmann::json;

json median_or_null(const std::vector<double> &values) {
    return values.empty() ? json() : json(common::median(values));
}

json mean_or_null(const std::vector<double> &values) { return values.empty() ? json() : json(mean(values)); }

/// Hosts of a list may share no memory: then an array may have to move whole.
bool has_hosts() {
    const char *hosts = std::getenv("NEREUS_HOSTS");
    return hosts != nullptr && *hosts != 0;
}

/// Why a resize that came to its end is not the one that was wanted, or "".
std::string complaint(const Way &way, const Measured &measured) {
    const nereus_resize_report &report = measured.report;
    const bool other_method = way.method != NEREUS_TRANSFER_AUTO && report.transfer_method != way.method;
    const bool other_strategy = way.strategy != NEREUS_STRATEGY_AUTO && report.transfer_strategy != way.strategy;
    if (std::string why = common::complaint(way.processes, report); !why.empty()) return why;
    if (other_method || other_strategy)
        return "it was carried out in another way: " + word_of(report.transfer_method) + ", " +
               word_of(report.transfer_strategy);
    const bool moved = report.constant_bytes + report.variable_bytes > 0;
    if (way.is_shared && report.shared_bytes == 0 && moved && !has_hosts())
        return "the data does not lie in shared memory";
    if (!way.is_shared && report.shared_bytes > 0) return "the data lies in shared memory";
    if (measured.wrong > 0) return "wrong data in " + std::to_string(measured.wrong) + " places";
    return "";
}

}

double mean(const std::vector<double> &values) {
    if (values.empty()) return 0;
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

void print_trying(const Way &way) { common::print({{"trying", way.text}}); }

void print_failed(const Way &way, const std::string &why) {
    common::print({{"way", way.text}, {"works", false}, {"reason", why}});
}

void print_done(const Way &way, const Measured &measured) {
    const nereus_resize_report &report = measured.report;
    const std::string why = complaint(way, measured);
    const std::vector<double> later(measured.whole.begin() + !measured.whole.empty(), measured.whole.end());
    common::print({{"way", way.text},
                   {"works", why.empty()},
                   {"reason", why},
                   {"transfer_method", word_of(report.transfer_method)},
                   {"transfer_strategy", word_of(report.transfer_strategy)},
                   {"process_seconds", report.process_seconds},
                   {"constant_seconds", report.constant_seconds},
                   {"variable_seconds", report.variable_seconds},
                   {"predicted_seconds", report.predicted_seconds},
                   {"pause_seconds", report.pause_seconds},
                   {"background_iterations", report.background_iterations},
                   {"constant_bytes", report.constant_bytes},
                   {"variable_bytes", report.variable_bytes},
                   {"shared_bytes", report.shared_bytes},
                   {"bytes_minimum", report.bytes_minimum},
                   {"loop_before", measured.before},
                   {"loop_background_median", median_or_null(measured.background)},
                   {"loop_background_mean", mean_or_null(measured.background)},
                   {"loop_after", median_or_null(measured.after)},
                   {"first_iteration", measured.whole.empty() ? json() : json(measured.whole.front())},
                   {"later_iteration", median_or_null(later)},
                   {"over_seconds", measured.over},
                   {"iterations_since_request", measured.ended_since}});
}

}
