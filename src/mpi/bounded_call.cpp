// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/bounded_call.hpp"

#include "base/flush_stderr.h"
#include "base/printable.hpp"
#include "mpi/unfinalized_exit.hpp"

#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <system_error>
#include <utility>

namespace nereus::mpi {
namespace {

// Time is counted in these, so that a job that was stopped for a while, as batch systems do, does not seem to hang.
constexpr std::chrono::milliseconds tick{100};
constexpr double tick_seconds = std::chrono::duration<double>(tick).count();

/// A call in which everybody else has done his part returns within this after a death.
constexpr double most_after_death = 5;

/// All processes of a job that hangs come to their bound at once. One speaks first, and the others are ended before
/// they say the same.
constexpr double after_rank_0 = 2, after_the_job = 3;

struct {
    std::mutex mutex;
    Bounds bounds;
    News news;
} shared; // of this process

Bounds bounds_now() {
    const std::lock_guard guard(shared.mutex);
    return shared.bounds;
}

bool somebody_listens() {
    const std::lock_guard guard(shared.mutex);
    return shared.news != nullptr;
}

std::optional<Error> news_now() {
    const std::lock_guard guard(shared.mutex);
    return shared.news ? shared.news() : std::nullopt;
}

double seconds_after_the_first() {
    int there = 0, rank = 0;
    MPI_Initialized(&there);
    if (there == 0) return 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    const bool newcomer = bounds_now().newcomer || parent != MPI_COMM_NULL;
    return (rank == 0 ? 0 : after_rank_0) + (newcomer ? after_the_job : 0);
}

}

void bound_calls(const Bounds &bounds) {
    const std::lock_guard guard(shared.mutex);
    shared.bounds = bounds;
}

double seconds_to_start() { return bounds_now().start; }

Hearing::Hearing(News news) {
    const std::lock_guard guard(shared.mutex);
    shared.news = std::move(news);
}

Hearing::~Hearing() {
    const std::lock_guard guard(shared.mutex);
    shared.news = nullptr;
}

BoundedCall::BoundedCall(std::string what, double more, Death death)
    : what_(std::move(what)), seconds_(bounds_now().answer + more),
      after_death_(std::numeric_limits<double>::infinity()) {
    const bool listens = death == Death::holds_it_up && somebody_listens();
    if (listens)
        after_death_ = std::isfinite(more) ? std::min(most_after_death, bounds_now().answer) : bounds_now().answer;
    if (std::isfinite(seconds_)) seconds_ += seconds_after_the_first();
    if (std::isfinite(seconds_) || listens) start_watcher();
}

/// Where the system lets us have no thread, a call that may hang is better than none.
void BoundedCall::start_watcher() try {
    watcher_ = std::thread([this] { watch(); });
} catch (const std::system_error &) {
}

BoundedCall::~BoundedCall() {
    if (!watcher_.joinable()) return;
    {
        const std::lock_guard guard(mutex_);
        is_over_ = true;
    }
    returned_.notify_one();
    watcher_.join();
}

void BoundedCall::watch() {
    std::unique_lock lock(mutex_);
    for (double waited = 0; waited < seconds_; waited += tick_seconds) {
        if (returned_.wait_for(lock, tick, [this] { return is_over_; })) return;
        listen(waited);
    }
    end_the_job();
}

void BoundedCall::listen(double waited) {
    if (!std::isfinite(after_death_) || !heard_.empty()) return;
    const auto death = news_now();
    if (!death) return;
    heard_ = death->what;
    seconds_ = std::min(seconds_, waited + after_death_);
}

void BoundedCall::end_the_job() const {
    const std::string why = heard_.empty() ? "a process of this resize is dead or stopped" : heard_;
    std::array<char, 32> limit{};
    std::snprintf(limit.data(), limit.size(), "%g s", seconds_);
    print_line("nereus", what_ + " did not return within " + limit.data() + ": " + why +
                             ", and the call cannot be left: the job ends");
    flush_stderr_to_reader();
    let_connection_close_first();
    _exit(1);
}

}
