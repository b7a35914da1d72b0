// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include <algorithm>

namespace epochs_bench {

Data::Data(nereus::Job &job, std::int64_t bytes)
    : array_(job.array<std::uint64_t>("data", bytes / std::int64_t{sizeof(std::uint64_t)}, NEREUS_BLOCK,
                                      NEREUS_VARIABLE)) {
    if (job.generation() != 0) return;
    const auto part = array_.span();
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = value_at(i);
}

bool Data::is_right() const {
    constexpr std::size_t samples = 1000;
    const auto part = array_.span();
    if (part.empty()) return true;
    const std::size_t step = std::max<std::size_t>(1, part.size() / samples);
    for (std::size_t i = 0; i < part.size(); i += step)
        if (part[i] != value_at(i)) return false;
    return part.back() == value_at(part.size() - 1);
}

/// An odd factor: no two places have the same value.
std::uint64_t Data::value_at(std::size_t place) const {
    return (static_cast<std::uint64_t>(array_.first()) + place) * 0x9E3779B97F4A7C15U;
}

}
