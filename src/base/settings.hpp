// SPDX-License-Identifier: BSD-3-Clause
// The settings of a job: one table gives name, flag, environment variable, default, unit and help of each.
//
// A value comes from the default, the environment (NEREUS_NAME), then the program's arguments
// (--nereus-name=value); the last one wins. docs/reference/settings.md is checked against the table.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nereus {

struct Settings {
    int process_method = 0;  // enum nereus_process_method
    int transfer_method = 0; // enum nereus_transfer_method
    bool verify = false;
    int max_ranks = 65536;
    double connect_timeout = 30;
    double answer_timeout = 30;
    double slowest_rate = 50; // MB/s
    std::int64_t message_bytes = std::int64_t{1} << 30;

    /// How long an answer may take that needs `bytes` bytes to have travelled.
    double seconds_for(double bytes) const { return answer_timeout + bytes / (slowest_rate * 1e6); }
};

struct SettingRow {
    std::string name;    // words joined by '-', as in the flag
    std::string initial; // default value, as a user would write it
    std::string unit;
    std::string allowed;
    std::string help;
    std::function<bool(Settings &, const std::string &)> set; // false: the value is not allowed
};

const std::vector<SettingRow> &settings_table();

std::string environment_name(const SettingRow &row);

/// Settings from the defaults, the environment and the arguments, in this order.
Result<Settings> read_settings(int argc, const char *const *argv);

}
