// SPDX-License-Identifier: BSD-3-Clause
// The data whose epochs are timed: one block array, of which each element has a value of its own.
#pragma once

#include <nereus/nereus.hpp>

#include <cstdint>

namespace epochs_bench {

class Data {
public:
    /// Collective. Registers it; founders of a job that begins anew fill it.
    Data(nereus::Job &job, std::int64_t bytes);

    /// Whether this process' part has its values: the first, the last and a thousand between them.
    bool is_right() const;

private:
    std::uint64_t value_at(std::size_t place) const;

    nereus::Array<std::uint64_t> array_;
};

}
