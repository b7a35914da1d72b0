// SPDX-License-Identifier: BSD-3-Clause
// What a trace is limited to, and how users write it in the environment.
#pragma once

#include "record/event_filter.hpp"
#include "record/recording_windows.hpp"

#include <string>
#include <utility>
#include <vector>

namespace nereus::pmpi {

struct TraceLimits {
    monitor::EventFilter::Settings filter;
    monitor::RecordingWindows::Settings windows;
    std::vector<std::pair<int, int>> ranks; ///< first and last of each range, in MPI_COMM_WORLD; none: all

    bool takes_rank(int rank) const;
};

/// These leave what they were given as it is where `text` is not allowed: then they are false.
bool read_call_names(const std::string &text, std::set<std::string> &into);
/// `0-3,8`
bool read_ranks(const std::string &text, std::vector<std::pair<int, int>> &into);
/// `100-120`
bool read_iterations(const std::string &text, std::optional<monitor::RecordingWindows::Iterations> &into);

}
