// SPDX-License-Identifier: BSD-3-Clause
#include "record/recording_windows.hpp"

#include "base/clock.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <unistd.h>

namespace nereus::monitor {
namespace {

constexpr std::int64_t between_looks = 100'000'000; // ns
constexpr double longest = 366 * 86400.0;           // s, of a window
constexpr std::int64_t for_ever = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t closed = std::numeric_limits<std::int64_t>::min();

std::int64_t nanoseconds(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

/// Seconds since 1970 until which is to be recorded; nothing where there is no such file, or no such number in it.
std::optional<double> read_until(const std::string &file) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return std::nullopt;
    std::array<char, 64> text{};
    const ssize_t length = ::read(descriptor, text.data(), text.size());
    ::close(descriptor);
    double until = 0;
    if (length <= 0 || std::from_chars(text.data(), text.data() + length, until).ec != std::errc{}) return std::nullopt;
    return std::isfinite(until) ? std::optional(until) : std::nullopt;
}

}

void RecordingWindows::resize_goes_on() {
    if (settings_.around_resizes) by_resize_ = for_ever;
}

void RecordingWindows::resize_ended(std::int64_t now) {
    std::int64_t begun = for_ever; // else there was none
    if (settings_.around_resizes)
        by_resize_.compare_exchange_strong(begun, now + nanoseconds(*settings_.around_resizes));
}

void RecordingWindows::iteration_begins(std::uint64_t number) {
    if (settings_.iterations)
        in_iterations_ = number >= settings_.iterations->first && number <= settings_.iterations->last;
}

/// Now and then, by one thread.
void RecordingWindows::look_at_file(std::int64_t now) {
    std::int64_t due = next_look_.load(std::memory_order_relaxed);
    if (now < due || !next_look_.compare_exchange_strong(due, now + between_looks)) return;
    const auto until = read_until(settings_.file);
    const double left = until ? std::min(*until - unix_now(), longest) : 0;
    from_outside_ = left > 0 ? now + nanoseconds(left) : closed;
}

}
