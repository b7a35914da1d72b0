// SPDX-License-Identifier: BSD-3-Clause
// How long something took, again and again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace nereus::job {

/// Number and sum are of all; the median is of each k-th, where k grows so that memory stays bounded however long a job
/// runs.
class Durations {
public:
    static constexpr std::size_t most_kept = 4096; ///< even

    void add(double seconds);
    std::int64_t count() const { return count_; }
    double sum() const { return sum_; }
    double median() const; ///< 0 of none

private:
    std::vector<double> kept_;
    std::int64_t count_ = 0;
    std::int64_t every_ = 1;
    double sum_ = 0;
};

}
