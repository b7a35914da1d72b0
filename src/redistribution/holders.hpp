// SPDX-License-Identifier: BSD-3-Clause
// The processes of a communicator that have an array, or are to have it.
#pragma once

#include "plan/distribution.hpp"

#include <nereus/nereus.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace nereus::redistribution {

class Holders {
public:
    /// NEREUS_ERR_ARGUMENT where a communicator of `size` processes has no such holders of that array.
    ///
    /// @param side  how errors name them
    static Result<Holders> of(const nereus_distributed *given, std::int64_t elements, int size, const char *side);

    const plan::Distribution &distribution() const { return distribution_; }
    const std::vector<int> &ranks() const { return ranks_; }

    /// Of the process with this rank in the communicator; none where it has nothing.
    std::optional<int> number_of(int rank) const;
    /// Elements of the process with this rank.
    std::int64_t count_of(int rank) const;

    /// Of a matrix: as transposed parts of these processes distribute the transposed matrix.
    Holders transposed() const;

    /// All that says which they are, to be compared between processes.
    void append_to(std::vector<std::int64_t> &words) const;

private:
    Holders(plan::Distribution distribution, std::vector<int> ranks);

    plan::Distribution distribution_;
    std::vector<int> ranks_;
    std::vector<int> numbers_; ///< of each rank up to the largest; -1: none
};

}
