// SPDX-License-Identifier: BSD-3-Clause
#include "tools/common/event_log.hpp"

#include "tools/common/clock.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <unistd.h>

namespace common {

EventLog::EventLog(const std::string &path)
    : file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)) {
    if (file_ < 0) throw std::runtime_error("--log = " + path + ": cannot be written: " + std::strerror(errno));
    write(""); // what was killed may have left half a line: no line of this process is to be a part of it
}

EventLog::~EventLog() { ::close(file_); }

void EventLog::opened(std::int64_t iteration, double seconds, const std::vector<int> &pids) const {
    write(nlohmann::json{
        {"event", "opened"}, {"time", now()}, {"iteration", iteration}, {"seconds", seconds}, {"pids", pids}}
              .dump());
}

void EventLog::iterated(std::int64_t iteration) const {
    write(nlohmann::json{{"event", "iterated"}, {"time", now()}, {"iteration", iteration}}.dump());
}

/// By one call: who is killed leaves half a line only where it crosses a page.
void EventLog::write(const std::string &line) const {
    const std::string whole = line + "\n";
    if (::write(file_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size()))
        throw std::runtime_error(std::string("--log: cannot be written: ") + std::strerror(errno));
}

}
