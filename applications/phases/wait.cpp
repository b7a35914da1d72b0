// SPDX-License-Identifier: BSD-3-Clause
#include "applications/phases/wait.hpp"

#include "applications/random.hpp"

#include <cmath>
#include <numbers>
#include <thread>

namespace phases {
namespace {

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
    const std::chrono::duration<double> wanted(seconds);
    due_ += std::chrono::duration_cast<std::chrono::steady_clock::duration>(wanted);
    std::this_thread::sleep_until(due_);
}

}
