// SPDX-License-Identifier: BSD-3-Clause
// Random numbers: a hash of numbers for known content, and independent streams for sampling.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace emulator {

/// A number whose bits depend on all bits of `value` (the finaliser of SplitMix64).
constexpr std::uint64_t mix(std::uint64_t value) {
    value += 0x9E3779B97F4A7C15U;
    value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
    value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
    return value ^ (value >> 31U);
}

/// A seed for one of many streams of `seed`.
constexpr std::uint64_t stream_seed(std::uint64_t seed, std::uint64_t first, std::uint64_t second) {
    return mix(mix(mix(seed) ^ first) ^ second);
}

/// xoshiro128+ in 16 lanes that advance together: only shifts, additions and exclusive ors of neighbours in an array,
/// so that compilers turn each line into vector instructions. Each lane has a seed of its own.
class RandomLanes {
public:
    static constexpr std::size_t lanes = 16;
    using Floats = std::array<float, lanes>;

    explicit RandomLanes(std::uint64_t seed) {
        for (std::size_t lane = 0; lane < lanes; ++lane)
            for (std::size_t word = 0; word < 4; ++word)
                state_[word][lane] = static_cast<std::uint32_t>(stream_seed(seed, lane, word) >> 32U) | (word == 0);
    }

    /// One number from [0, 1) in each lane.
    Floats next() {
        Floats result;
        for (std::size_t i = 0; i < lanes; ++i) {
            // 24 bits fit a float exactly; the weak low bits of the generator are the ones that are dropped.
            result[i] = static_cast<float>(static_cast<std::int32_t>((state_[0][i] + state_[3][i]) >> 8U)) * 0x1p-24F;
            const std::uint32_t shifted = state_[1][i] << 9U;
            state_[2][i] ^= state_[0][i];
            state_[3][i] ^= state_[1][i];
            state_[1][i] ^= state_[2][i];
            state_[0][i] ^= state_[3][i];
            state_[2][i] ^= shifted;
            state_[3][i] = std::rotl(state_[3][i], 11);
        }
        return result;
    }

private:
    std::array<std::array<std::uint32_t, lanes>, 4> state_{};
};

} // namespace emulator
