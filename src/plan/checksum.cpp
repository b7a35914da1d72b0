// SPDX-License-Identifier: BSD-3-Clause
#include "plan/checksum.hpp"

#include <cstring>

namespace nereus::plan {
namespace {

/// Finaliser of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input reaches every bit of the output.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

template <class Word> std::uint64_t sum_of(const std::byte *data, std::int64_t words, std::int64_t first) {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < words; ++i) {
        Word content;
        std::memcpy(&content, data + i * static_cast<std::int64_t>(sizeof content), sizeof content);
        sum += mix(content + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(first + i + 1));
    }
    return sum;
}

}

std::uint64_t checksum(const std::byte *data, std::int64_t bytes, std::int64_t first, std::int64_t extent) {
    if (extent % 8 == 0) return sum_of<std::uint64_t>(data, bytes / 8, first / 8);
    return sum_of<std::uint8_t>(data, bytes, first);
}

}
