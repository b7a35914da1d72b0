// SPDX-License-Identifier: BSD-3-Clause
// What a process pays that gets a part of an array on its host: to make pages, to find pages that another made, to give
// pages back, and to copy as many bytes.
//
// Usage: segment_bench [MIB [ROUNDS]]     1024 MiB and 5 rounds by default
// All ways run in each round, so that a slow minute of the machine hits all alike; medians are printed.
#include "base/clock.hpp"
#include "memory/segment.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <sys/resource.h>
#include <sys/wait.h>
#include <vector>

namespace nereus::memory {
namespace {

struct Cost {
    double seconds = 0;
    double faults = 0;
};

struct Row {
    const char *name;
    std::function<Cost()> measure;
    std::vector<Cost> costs{};
};

[[noreturn]] void end(const char *why) {
    std::fprintf(stderr, "nereus: segment_bench: %s\n", why);
    std::exit(1);
}

template <class T> T checked(Result<T> result) {
    if (!result) end(result.error().what.c_str());
    if constexpr (!std::is_void_v<T>) return std::move(*result);
}

Segment new_segment(std::int64_t bytes) { return checked(Segment::create({"bench", bytes, Kind::anonymous, ""})); }

std::unique_ptr<std::byte, decltype(&std::free)> new_memory(std::int64_t bytes) {
    auto *memory = static_cast<std::byte *>(std::malloc(static_cast<std::size_t>(bytes)));
    if (memory == nullptr) end("no memory");
    return {memory, &std::free};
}

void write_each_page(std::byte *first, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += file_length(1))
        *static_cast<volatile std::byte *>(first + i) = std::byte{1};
}

void read_each_page(const std::byte *first, std::int64_t bytes) {
    for (std::int64_t i = 0; i < bytes; i += file_length(1))
        static_cast<void>(*static_cast<const volatile std::byte *>(first + i));
}

double faults_until_now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_minflt);
}

Cost cost_of(const std::function<void()> &work) {
    const double faults = faults_until_now();
    const Stopwatch watch;
    work();
    return {watch.seconds(), faults_until_now() - faults};
}

/// The cost that `measure` finds in a process of its own.
Cost elsewhere(const std::function<Cost()> &measure) {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) end("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        const Cost cost = measure();
        _exit(write(ends[1], &cost, sizeof cost) == sizeof cost ? 0 : 1);
    }
    close(ends[1]);
    Cost cost;
    const bool told = read(ends[0], &cost, sizeof cost) == sizeof cost;
    close(ends[0]);
    if (child < 0 || waitpid(child, nullptr, 0) != child || !told) end("another process failed");
    return cost;
}

Cost of_opening(const Handle &handle) {
    return cost_of([&] { checked(Segment::open(handle)); });
}

Cost of_use(const Handle &handle, const std::function<void(Segment &)> &prepare,
            const std::function<void(Segment &)> &work) {
    Segment segment = checked(Segment::open(handle));
    prepare(segment);
    return cost_of([&] { work(segment); });
}

/// What `work` costs a newcomer to a segment that was made of huge pages.
Cost with_huge(std::int64_t bytes, const std::function<void(Segment &)> &work) {
    Segment segment = new_segment(bytes);
    checked(segment.touch(0, bytes, Pages::huge));
    return elsewhere([&] { return of_use(segment.handle(), [](Segment &) {}, work); });
}

Cost of_copy(std::byte *to, const std::byte *from, std::int64_t bytes) {
    write_each_page(to, bytes); // every fork() makes the first write to a page of ours a fault
    return cost_of([&] { std::memcpy(to, from, static_cast<std::size_t>(bytes)); });
}

constexpr const char *copy_name = "copy of warm bytes";

std::vector<Row> rows_of(std::int64_t bytes, Segment &warm, std::byte *copy) {
    const Handle handle = warm.handle();
    const auto nothing = [](Segment &) {};
    const auto touches_huge = [=](Segment &s) { checked(s.touch(0, bytes, Pages::huge)); };
    const auto touches = [=](Segment &s) { checked(s.touch(0, bytes)); };
    const auto writes = [=](Segment &s) { write_each_page(s.at(0), bytes); };
    const auto reads = [=](Segment &s) { read_each_page(s.at(0), bytes); };
    const auto gives_back = [=](Segment &s) { checked(s.give_back(0, bytes)); };
    const auto on_new = [=](const auto &prepare, const auto &work) {
        return of_use(new_segment(bytes).handle(), prepare, work);
    };
    const auto newcomer = [=](const auto &prepare, const auto &work) {
        return elsewhere([&] { return of_use(handle, prepare, work); });
    };
    return {
        {"malloc: write new pages",
         [=] {
             const auto memory = new_memory(bytes);
             return cost_of([&] { write_each_page(memory.get(), bytes); });
         }},
        {"segment: write new pages", [=] { return on_new(nothing, writes); }},
        {"segment: touch() new pages", [=] { return on_new(nothing, touches); }},
        {"segment: touch() new huge pages", [=] { return on_new(nothing, touches_huge); }},
        {"newcomer: open and map", [=] { return elsewhere([&] { return of_opening(handle); }); }},
        {"newcomer: write existing pages", [=] { return newcomer(nothing, writes); }},
        {"newcomer: read existing pages", [=] { return newcomer(nothing, reads); }},
        {"newcomer: touch() existing pages", [=] { return newcomer(nothing, touches); }},
        {"newcomer: write after touch()", [=] { return newcomer(touches, writes); }},
        {"newcomer: write huge pages", [=] { return with_huge(bytes, writes); }},
        {copy_name, [=, &warm] { return of_copy(copy, warm.at(0), bytes); }},
        {"segment: give_back()", [=] { return on_new(writes, gives_back); }},
        {"segment: give_back() of huge pages", [=] { return on_new(touches_huge, gives_back); }},
    };
}

double median(const Row &row, double Cost::*field) {
    std::vector<double> values;
    for (const Cost &cost : row.costs) values.push_back(cost.*field);
    std::ranges::sort(values);
    return values[values.size() / 2];
}

void print(const std::vector<Row> &rows) {
    const auto copy = std::ranges::find(rows, std::string_view(copy_name), [](const Row &row) { return row.name; });
    std::printf("%-34s %9s  %9s  %8s\n", "", "seconds", "of a copy", "faults");
    for (const Row &row : rows) {
        const double seconds = median(row, &Cost::seconds);
        std::printf("%-34s %9.5f  %9.3f  %8.0f\n", row.name, seconds, seconds / median(*copy, &Cost::seconds),
                    median(row, &Cost::faults));
    }
}

void run(std::int64_t bytes, int rounds) {
    Segment warm = new_segment(bytes);
    write_each_page(warm.at(0), bytes);
    const auto copy = new_memory(bytes);
    write_each_page(copy.get(), bytes);
    auto rows = rows_of(bytes, warm, copy.get());
    for (int round = 0; round < rounds; ++round)
        for (Row &row : rows) row.costs.push_back(row.measure());
    print(rows);
}

}
}

int main(int argc, char **argv) {
    const int mib = argc > 1 ? std::atoi(argv[1]) : 1024, rounds = argc > 2 ? std::atoi(argv[2]) : 5;
    if (argc > 3 || mib < 1 || rounds < 1) {
        std::fprintf(stderr, "nereus: segment_bench MIB ROUNDS = %s: allowed are two numbers from 1\n", argv[argc - 1]);
        return 2;
    }
    nereus::memory::run(std::int64_t{mib} << 20, rounds);
}
