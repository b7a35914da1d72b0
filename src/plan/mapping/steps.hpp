// SPDX-License-Identifier: BSD-3-Clause
// How much may be looked at before a mapping has to be good enough: a time that is the same on every machine, so that
// all ranks and all runs find the same mapping.
#pragma once

#include <cstdint>

namespace nereus::plan::mapping {

/// A step is one peer of a rank, or one slot, that is looked at: some nanoseconds.
class Steps {
public:
    explicit Steps(std::int64_t most) : most_(most) {}

    bool are_left() const { return taken_ < most_; }
    std::int64_t taken() const { return taken_; }
    void take(std::int64_t steps) { taken_ += steps; }

private:
    std::int64_t most_;
    std::int64_t taken_ = 0;
};

}
