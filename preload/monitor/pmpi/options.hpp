// SPDX-License-Identifier: BSD-3-Clause
// The settings of the monitor: from the environment alone, since the program is not to know of it.
#pragma once

#include "pmpi/trace_limits.hpp"
#include "record/lines.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nereus::pmpi {

struct Options {
    bool has_record = true; ///< else the program runs as without this library
    bool record = true;     ///< from MPI_Init on
    bool has_file = true;   ///< else the program alone reads it
    bool model = false;     ///< of what collectives are made of, where it is not seen
    std::string file;       ///< "": nereus-monitor-WORLD.jsonl in the working directory
    std::string parts;      ///< folder of the records of single processes; "": the file's name and .parts
    std::string calls;      ///< folder of the time of each call; "": it is not noted
    std::uint64_t most_calls = std::uint64_t{1} << 21;  ///< that are kept of a process
    std::string trace;                                  ///< folder of the traces of the processes; "": there are none
    std::uint64_t most_events = std::uint64_t{1} << 20; ///< that the trace of a process keeps
    TraceLimits trace_limits;
    std::string run; ///< the same for all worlds of a run; "": each world is a run of its own
    monitor::Encoding encoding = monitor::Encoding::json_lines;
    double window = 1;                  ///< s
    int windows = 1 << 16;              ///< entries of history that a thread keeps
    double time_limit = 30;             ///< s, for all processes to come to MPI_Init
    std::vector<std::string> refused{}; ///< sentences about values that are not allowed; the default is taken
};

struct OptionRow {
    const char *name; ///< in the environment
    const char *initial;
    const char *unit;
    const char *allowed;
    const char *help;
    bool (*set)(Options &, const std::string &);
};

const std::vector<OptionRow> &option_table();

Options read_options();

}
