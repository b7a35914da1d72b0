// SPDX-License-Identifier: BSD-3-Clause
#include "record/window.hpp"

#include "base/clock.hpp"

#include <csignal>

namespace nereus::monitor {
namespace {

/// Signals are for the program's threads: while one of these lives, new threads of this one take none.
class NoSignals {
public:
    NoSignals() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    NoSignals(const NoSignals &) = delete;
    NoSignals &operator=(const NoSignals &) = delete;

private:
    sigset_t before_{};
};

}

WindowEntry latest_of(const Cell &cell) {
    // First what is never ahead of the other: who reads while the cell counts must not get less than nothing.
    const std::uint64_t messages = get(cell.messages_before_window), bytes = get(cell.bytes_before_window);
    std::atomic_thread_fence(std::memory_order_acquire);
    return {cell.window.load(std::memory_order_relaxed), 0, get(cell.messages) - messages, get(cell.bytes) - bytes};
}

void History::note(const Cell &cell) {
    WindowEntry latest = latest_of(cell);
    if (latest.messages == 0) return;
    WindowEntries *piece = piece_with_room();
    if (!piece) return;
    const std::uint32_t at = piece->number.load(std::memory_order_relaxed);
    latest.cell = arena_.place_of(cell);
    piece->entries[at] = latest;
    piece->number.store(at + 1, std::memory_order_release);
}

WindowEntries *History::piece_with_room() {
    if (!pieces_.empty() && pieces_[current_]->number.load(std::memory_order_relaxed) < WindowEntries::most)
        return pieces_[current_];
    if (static_cast<int>(pieces_.size()) < most_pieces_)
        if (auto *piece = arena_.place<WindowEntries>(sizeof(WindowEntries))) {
            Arena::publish(*piece);
            pieces_.push_back(piece);
            current_ = pieces_.size() - 1;
            return piece;
        }
    if (pieces_.empty()) return nullptr;
    current_ = (current_ + 1) % pieces_.size();
    pieces_[current_]->number.store(0, std::memory_order_release);
    return pieces_[current_];
}

Ticker::Ticker(double started, double seconds) : started_(started), seconds_(seconds) {
    tick();
    const NoSignals in_the_new_thread;
    thread_ = std::thread([this] { run(); });
}

Ticker::~Ticker() {
    {
        const std::lock_guard lock(guard_);
        stopped_ = true;
    }
    stopping_.notify_one();
    thread_.join();
}

void Ticker::tick() {
    const double windows = (unix_now() - started_) / seconds_;
    window_.store(windows > 0 ? static_cast<std::uint32_t>(windows) : 0, std::memory_order_relaxed);
}

void Ticker::run() {
    std::unique_lock lock(guard_);
    while (!stopped_) {
        const double next = started_ + (window() + 1) * seconds_;
        stopping_.wait_for(lock, std::chrono::duration<double>(std::max(0.0, next - unix_now())));
        tick();
    }
}

}
