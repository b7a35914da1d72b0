// SPDX-License-Identifier: BSD-3-Clause
// What happened when, in a file that outlives the processes: a JSON line for each event.
//
//     {"event": "opened", "time": 5027.41, "iteration": 812, "seconds": 0.35, "pids": [41, 42]}
//     {"event": "iterated", "time": 5027.42, "iteration": 813}
//
// Lines that are empty, or no JSON, are what a process left that was killed while it wrote.
//
// Times are of CLOCK_MONOTONIC, in s: the same for all processes of a host.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace common {

class EventLog {
public:
    /// Appends to the file `path`; throws std::runtime_error where that cannot be done.
    explicit EventLog(const std::string &path);
    EventLog(const EventLog &) = delete;
    EventLog &operator=(const EventLog &) = delete;
    ~EventLog();

    /// The job is open, and its data is there. @param seconds  that both took
    void opened(std::int64_t iteration, double seconds, const std::vector<int> &pids) const;
    void iterated(std::int64_t iteration) const;

private:
    void write(const std::string &line) const;

    int file_;
};

}
