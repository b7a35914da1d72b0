// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/bounded_call.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <utility>

namespace nereus::mpi {
namespace {

// Time is counted in these, so that a job that was stopped for a while, as batch systems do, does not seem to hang.
constexpr std::chrono::milliseconds tick{100};

std::atomic<double> bound = std::numeric_limits<double>::infinity();

}

void bound_calls(double seconds) { bound = seconds; }

BoundedCall::BoundedCall(std::string what, double more) : what_(std::move(what)), seconds_(bound + more) {
    if (std::isfinite(seconds_)) watcher_ = std::thread([this] { watch(); });
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
    for (double waited = 0; waited < seconds_; waited += std::chrono::duration<double>(tick).count())
        if (returned_.wait_for(lock, tick, [this] { return is_over_; })) return;
    std::fprintf(
        stderr,
        "nereus: %s did not return within %g s: a process of this resize is dead or stopped, and the call cannot "
        "be left: the job ends\n",
        what_.c_str(), seconds_);
    _exit(1);
}

}
