// SPDX-License-Identifier: BSD-3-Clause
// The settings of a job: one table gives name, flag, environment variable, default, unit and help of each.
//
// A value comes from the default, the environment (NEREUS_NAME), then the program's arguments
// (--nereus-name=value); the last one wins. Newcomers of a resize take the values of the job, but for the few that are
// one process's own. docs/reference/settings.md is checked against the table.
#pragma once

#include "base/error.hpp"
#include "base/resize_options.hpp"
#include "base/settings_form.hpp"

#include <nereus/resize.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nereus {

/// Numbers of the words of the setting `memory`.
enum Memory { memory_private, memory_shared, memory_auto };

/// Numbers of the words of the setting `protect`.
enum Protect { protect_memory, protect_buddy };

/// Of `save_every`: as often as epochs take a small share of the time.
inline constexpr double automatically = -1;

struct Settings {
    nereus_resize_options resize = initial_resize_options(); // without hosts
    std::string costs;                    // file that `nereus calibrate` made; "": costs are not known
    std::string results;                  // file for what iterations and resizes took; "": none is written
    std::string save;                     // folder of the job's epochs; "": none are saved
    double save_every = 0;                // s, or `automatically`; 0: on request only
    double protect_every = automatically; // s
    int protect = protect_memory;         // enum Protect
    std::string resume;                   // folder of epochs, or of one, to continue from; "": the job begins anew
    int memory = memory_auto;             // enum Memory
    /// Not of the table: names of files in shared memory begin so; "": they need none.
    std::string memory_key{};
    std::string hosts; // "name:slots,..."; "": no list
    bool wake = true;
    int start_ranks = 0;         // 0: as many as there are
    std::string link;            // of the supervisor; "": there is none
    std::string link_keys;       // file, for a supervisor on the network; "": none
    bool joins = false;          // the supervisor can start processes
    std::string controller;      // of many jobs: its address; "": there is none
    std::string controller_keys; // file; "": none
    double io_timeout = 2;       // s
    std::string restart_folder;  // for data while processes are started anew; "": none are
    bool restarted = false;      // this process was
    std::string protect_folder;  // for epochs in memory; "": none are kept
    int founders = 0;            // processes that the supervisor started as one world; 0: not known
    std::string party;           // "REQUEST.PARTY" of a newcomer that the supervisor started; "": none
    std::string job;             // random name that the launcher gave the job; "": none
    bool verify = false;
    int max_ranks = 65536;
    bool outside_requests = true;
    bool balance = false;
    double connect_timeout = 30;
    double answer_timeout = 30;
    double slowest_rate = 50; // MB/s
    std::int64_t message_bytes = std::int64_t{1} << 30;
    std::int64_t transfer_memory = std::int64_t{1} << 26;
    double background_share = 0.2;
    double background_share_rma = 0.02;
    double background_share_thread = 0.03;

    /// How long an answer may take that needs `bytes` bytes to have travelled.
    double seconds_for(double bytes) const { return answer_timeout + bytes / (slowest_rate * 1e6); }
};

struct SettingRow {
    std::string name;    // words joined by '-', as in the flag
    std::string initial; // default value, as a user would write it
    std::string unit;
    std::string allowed;
    std::string help;
    SettingForm form;
    std::string own_because{}; // "": the job has one value; else why each process has its own, which does not travel
};

const std::vector<SettingRow> &settings_table();

std::string environment_name(const SettingRow &row);

/// Sets one by its name in the table. NEREUS_ERR_SETTING where there is no such name or the value is not allowed.
Done set_setting(Settings &settings, const std::string &name, const std::string &value);

/// Names and texts of all settings that a job has one value of, as newcomers are told them.
std::map<std::string, std::string> texts_of_job(const Settings &settings);

/// Those of `texts`, which came from elsewhere, and of `own` what each process has of its own. NEREUS_ERR_SETTING where
/// one is missing, unknown or not allowed.
Result<Settings> with_settings_of_job(const Settings &own, std::map<std::string, std::string> texts);

/// Settings from the defaults, the environment and the arguments, in this order.
Result<Settings> read_settings(int argc, const char *const *argv);

}
