// SPDX-License-Identifier: BSD-3-Clause
// Segments of tests, and processes that use them.
#pragma once

#include "memory/segment.hpp"

#include <csignal>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereus::memory {

inline const std::int64_t page = file_length(1);

/// No other test run of this machine has it.
inline std::string own_key() { return "0123456789abcdef-" + std::to_string(getpid()); }

inline Segment segment_of(std::int64_t bytes, Kind kind = Kind::anonymous) {
    auto segment = Segment::create({"x", bytes, kind, own_key()});
    if (!segment) throw std::runtime_error(segment.error().what);
    return std::move(*segment);
}

/// What an error says, or that there is none.
template <class T> std::string refusal_of(const Result<T> &result) {
    return result ? "no error" : std::to_string(result.error().code) + ": " + result.error().what;
}

inline void write(const Segment &segment, std::int64_t offset, const std::string &text) {
    std::memcpy(segment.at(offset), text.data(), text.size());
}

inline std::string text_at(const Segment &segment, std::int64_t offset, std::size_t length) {
    return {reinterpret_cast<const char *>(segment.at(offset)), length};
}

/// Whether `task` says yes in a process of its own, which ends then.
inline bool in_another_process(const std::function<bool()> &task) {
    const pid_t child = fork();
    if (child == 0) _exit(task() ? 0 : 1);
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// A process that made a segment of `bytes`, wrote `text` to its begin, and sleeps until it is killed.
class Creator {
public:
    Creator(std::int64_t bytes, Kind kind, const std::string &text) {
        int ends[2] = {-1, -1};
        if (pipe(ends) != 0) throw std::runtime_error("pipe");
        child_ = fork();
        if (child_ == 0) live(ends[1], bytes, kind, text);
        close(ends[1]);
        char told[4096] = {};
        const auto length = read(ends[0], told, sizeof told - 1);
        close(ends[0]);
        if (length <= 0) throw std::runtime_error("the creator ended");
        handle_ = handle_from(nlohmann::json::parse(told)).value();
    }
    Creator(const Creator &) = delete;
    Creator &operator=(const Creator &) = delete;
    ~Creator() { end_by_force(); }

    const Handle &handle() const { return handle_; }
    void end_by_force() {
        if (child_ > 0) {
            kill(child_, SIGKILL);
            waitpid(child_, nullptr, 0);
        }
        child_ = -1;
    }

private:
    [[noreturn]] static void live(int to, std::int64_t bytes, Kind kind, const std::string &text) {
        const Segment segment = segment_of(bytes, kind);
        memory::write(segment, 0, text);
        const std::string told = as_json(segment.handle()).dump();
        if (::write(to, told.data(), told.size()) < 0) _exit(1);
        while (true) pause();
    }

    pid_t child_ = -1;
    Handle handle_;
};

}
