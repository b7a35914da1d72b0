// SPDX-License-Identifier: BSD-3-Clause
// Windows of time: which one it is, and the latest entries of those that are over.
#pragma once

#include "record/arena.hpp"

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace nereus::monitor {

/// What one cell counted in one window that is over.
struct WindowEntry {
    std::uint32_t window = 0;
    std::uint32_t cell = 0; ///< bytes / 64 from the begin of the arena to the cell
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// Of the window that is not over, but for its place.
WindowEntry latest_of(const Cell &cell);

/// A piece of the history of one thread.
struct WindowEntries {
    static constexpr std::uint32_t type = 3;
    static constexpr int most = 1024;
    BlockHead head;
    std::atomic<std::uint32_t> number{0}; ///< of entries in it
    std::array<WindowEntry, most> entries{};
};

/// A ring of pieces: grows to `most_pieces`, then the oldest is written over.
class History {
public:
    History(Arena &arena, int most_pieces) : arena_(arena), most_pieces_(most_pieces) {}
    void note(const Cell &cell);

private:
    WindowEntries *piece_with_room();

    Arena &arena_;
    int most_pieces_;
    std::vector<WindowEntries *> pieces_;
    std::size_t current_ = 0;
};

/// Counts windows beside the program, so that nobody who counts messages reads a clock.
class Ticker {
public:
    /// Windows of `seconds` each, of which the first began at `started` (seconds since 1970).
    Ticker(double started, double seconds);
    ~Ticker();
    Ticker(const Ticker &) = delete;
    Ticker &operator=(const Ticker &) = delete;

    std::uint32_t window() const { return window_.load(std::memory_order_relaxed); }

private:
    void tick();
    void run();

    double started_, seconds_;
    std::atomic<std::uint32_t> window_{0};
    std::mutex guard_;
    std::condition_variable stopping_;
    bool stopped_ = false;
    std::thread thread_;
};

}
