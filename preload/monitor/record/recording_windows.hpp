// SPDX-License-Identifier: BSD-3-Clause
// When a trace records: always, or while one of its windows is open. Windows are opened by resizes, by iterations, and
// from outside, by a file that says until when (docs/formats/trace.md).
//
// Moments are ns since the trace began. All functions may be called by any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace nereus::monitor {

class RecordingWindows {
public:
    struct Iterations {
        std::uint64_t first, last;
    };
    struct Settings {
        bool is_off = false;                  ///< but for the windows
        std::string file = {};                ///< of those from outside
        std::optional<double> around_resizes; ///< s behind the end of each; nothing: resizes open none
        std::optional<Iterations> iterations;
    };
    explicit RecordingWindows(Settings settings) : settings_(std::move(settings)) {}

    bool is_open(std::int64_t now) {
        if (!settings_.is_off) return true;
        if (now < by_resize_.load(std::memory_order_relaxed) || in_iterations_.load(std::memory_order_relaxed))
            return true;
        if (now >= next_look_.load(std::memory_order_relaxed)) look_at_file(now);
        return now < from_outside_.load(std::memory_order_relaxed);
    }

    void resize_goes_on();
    void resize_ended(std::int64_t now);
    void iteration_begins(std::uint64_t number);
    void iterations_end() { in_iterations_ = false; }

private:
    void look_at_file(std::int64_t now);

    const Settings settings_;
    std::atomic<std::int64_t> by_resize_{std::numeric_limits<std::int64_t>::min()}; ///< open until then
    std::atomic<std::int64_t> from_outside_{std::numeric_limits<std::int64_t>::min()};
    std::atomic<std::int64_t> next_look_{std::numeric_limits<std::int64_t>::min()};
    std::atomic<bool> in_iterations_{false};
};

}
