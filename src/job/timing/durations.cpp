// SPDX-License-Identifier: BSD-3-Clause
#include "job/timing/durations.hpp"

#include <algorithm>

namespace nereus::job {

void Durations::add(double seconds) {
    sum_ += seconds;
    if (count_++ % every_ != 0) return;
    if (kept_.size() == most_kept) {
        for (std::size_t i = 0; i < most_kept / 2; ++i) kept_[i] = kept_[2 * i];
        kept_.resize(most_kept / 2);
        every_ *= 2; // this one is the most_kept-th of the old step, so it is of the new one too
    }
    kept_.push_back(seconds);
}

double Durations::median() const {
    if (kept_.empty()) return 0;
    std::vector<double> sorted = kept_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    if (sorted.size() % 2 == 1) return *middle;
    return (*std::max_element(sorted.begin(), middle) + *middle) / 2;
}

}
