// SPDX-License-Identifier: BSD-3-Clause
#include "record/timed_calls.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <string_view>
#include <unistd.h>

namespace nereus::monitor {
namespace {

constexpr std::size_t most_shapes =
    1 << 16; // beyond, only call and size's power of two tell: each call may have its own size or group
constexpr std::int64_t right_behind = 20'000; // ns between two looks in vain that are one row

std::int64_t read_clock(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

/// What noting a call adds to the time between two calls: half of the looks at the clocks are outside of the call.
std::int64_t cost_of_looking() {
    constexpr int batches = 20, times = 20; // in some, others take the core
    std::int64_t least = INT64_MAX;
    for (int batch = 0; batch < batches; ++batch) {
        const std::int64_t begin = read_clock(CLOCK_MONOTONIC);
        for (int i = 0; i < times; ++i) Moment::now();
        least = std::min(least, (read_clock(CLOCK_MONOTONIC) - begin) / times);
    }
    return least;
}

bool write_all(int descriptor, const char *bytes, std::size_t size) {
    while (size > 0) {
        const ssize_t written = ::write(descriptor, bytes, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        bytes += written;
        size -= static_cast<std::size_t>(written);
    }
    return true;
}

nlohmann::ordered_json line_of(const CallShape &shape) {
    nlohmann::ordered_json line{{"call", shape.call}, {"bytes", shape.bytes}};
    if (shape.group != 0) line["group"] = shape.group;
    if (shape.processes != 0) line["processes"] = shape.processes;
    if (shape.peer != CallShape::none) line["peer"] = shape.peer;
    return line;
}

}

Moment Moment::now() { return {read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_THREAD_CPUTIME_ID)}; }

std::size_t TimedCalls::Hash::operator()(const CallShape &shape) const {
    const std::uint64_t words[] = {std::bit_cast<std::uint64_t>(shape.call),
                                   std::uint64_t{shape.group} << 32 | static_cast<std::uint32_t>(shape.peer),
                                   shape.bytes};
    std::uint64_t hash = 0;
    for (const std::uint64_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL + (hash >> 29);
    return hash ^ hash >> 32;
}

Result<std::unique_ptr<TimedCalls>> TimedCalls::begin(const Place &place) {
    const std::string path = place.folder + "/" + place.name + ".calls";
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor < 0) return failed(NEREUS_ERR_ARGUMENT, path + ": " + std::strerror(errno));
    return std::unique_ptr<TimedCalls>(new TimedCalls(place, descriptor));
}

TimedCalls::TimedCalls(Place place, int descriptor)
    : place_(std::move(place)), descriptor_(descriptor), cost_(cost_of_looking()) {
    rows_.reserve(rows_at_once);
    begun_ = last_end_ = Moment::now();
}

TimedCalls::~TimedCalls() { ::close(descriptor_); }

void TimedCalls::note(const CallShape &shape, Moment begin, Moment end) {
    keep(shape, begin, end, 0);
    last_ = {shape, false};
}

void TimedCalls::note_in_vain(const CallShape &shape, Moment begin, Moment end) {
    if (!adds_to_last(shape, begin)) {
        keep(shape, begin, end, 1);
    } else if (calls_ == kept_) {
        if (rows_.back().in_vain < UINT32_MAX) ++rows_.back().in_vain;
        rows_.back().in_call = end.wall - begun_.wall - rows_.back().begin;
        rows_.back().had_core = end.core - row_core_;
    }
    last_end_ = end;
    last_ = {shape, true};
}

bool TimedCalls::adds_to_last(const CallShape &shape, Moment begin) const {
    return last_.is_in_vain && last_.shape == shape && begin.wall - last_end_.wall < right_behind;
}

void TimedCalls::keep(const CallShape &shape, Moment begin, Moment end, std::uint32_t in_vain) {
    const std::int64_t computed = begin.core - last_end_.core;
    last_end_ = end;
    ++calls_;
    if (kept_ >= place_.most) return;
    ++kept_;
    if (rows_.size() == rows_at_once) flush(); // not when it is full: calls in vain may add to the last row
    rows_.push_back(
        {begin.wall - begun_.wall, end.wall - begin.wall, computed, end.core - begin.core, number_of(shape), in_vain});
    row_core_ = begin.core;
}

std::uint32_t TimedCalls::number_of(CallShape shape) {
    if (shapes_.size() >= most_shapes) shape = {.call = shape.call, .bytes = std::bit_floor(shape.bytes)};
    const auto [found, is_new] = numbers_.try_emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
    if (is_new) shapes_.push_back(shape);
    return found->second;
}

void TimedCalls::flush() {
    const auto *bytes = reinterpret_cast<const char *>(rows_.data());
    is_whole_ = is_whole_ && write_all(descriptor_, bytes, rows_.size() * sizeof(CallRow));
    rows_.clear();
}

Done TimedCalls::end(nlohmann::ordered_json facts) {
    const Moment ended = Moment::now();
    flush();
    const std::string path = place_.folder + "/" + place_.name + ".json";
    facts.update({{"format", "nereus-calls"},
                  {"version", 1},
                  {"calls", calls_},
                  {"rows", kept_},
                  {"seconds", 1e-9 * static_cast<double>(ended.wall - begun_.wall)},
                  {"core_seconds_at_end", 1e-9 * static_cast<double>(ended.core - last_end_.core)},
                  {"look_nanoseconds", cost_}});
    nlohmann::ordered_json &shapes = facts["shapes"] = nlohmann::ordered_json::array();
    for (const CallShape &shape : shapes_) shapes.push_back(line_of(shape));
    std::ofstream file(path);
    file << facts << '\n';
    file.close();
    if (!is_whole_ || !file) return failed(NEREUS_ERR_ARGUMENT, path + ": cannot be written");
    return {};
}

}
