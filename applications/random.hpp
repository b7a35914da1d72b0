// SPDX-License-Identifier: BSD-3-Clause
// Numbers that look random and are the same in each run, on each process.
#pragma once

#include <cstdint>

namespace applications {

/// The mixing step of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable pseudorandom number generators").
constexpr std::uint64_t mixed(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// In [0, 1), with 53 random bits.
constexpr double fraction(std::uint64_t x) { return static_cast<double>(mixed(x) >> 11) * 0x1p-53; }

}
