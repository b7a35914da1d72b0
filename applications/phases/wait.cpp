// SPDX-License-Identifier: BSD-3-Clause
#include "applications/phases/wait.hpp"

#include "applications/random.hpp"

#include <cmath>
#include <numbers>
#include <thread>

namespace phases {
namespace {

using std::chrono::duration;
using std::chrono::duration_cast;

/// Of a normal distribution, by the method of Box and Muller (1958).
double normal(std::uint64_t number) {
    const double radius = std::sqrt(-2 * std::log1p(-applications::fraction(2 * number)));
    return radius * std::cos(2 * std::numbers::pi * applications::fraction(2 * number + 1));
}

/// Log-normal about 1.
double factor(double noise, std::uint64_t number) {
    const double variance = std::log1p(noise * noise);
    return std::exp(std::sqrt(variance) * normal(number) - variance / 2);
}

}

double Wait::seconds(std::int64_t iterations, int ranks) const {
    const double mean = fixed + divided / ranks + per_rank * ranks;
    if (noise == 0) return mean;
    const std::uint64_t begin = applications::mixed(static_cast<std::uint64_t>(seed));
    return mean * factor(noise, begin + static_cast<std::uint64_t>(iterations));
}

void Timer::wait(double seconds) {
    due_ += duration_cast<std::chrono::steady_clock::duration>(duration<double>(seconds));
    std::this_thread::sleep_until(due_);
}

void wait_until(double date) {
    using std::chrono::system_clock;
    const auto since_1970 = duration_cast<system_clock::duration>(duration<double>(date));
    std::this_thread::sleep_until(system_clock::time_point(since_1970));
}

}
