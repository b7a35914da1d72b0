// SPDX-License-Identifier: BSD-3-Clause
// What one rank has in one direction: blocks of elements at regular distances, or one range; and what two such ranks
// share, whatever their blocks are.
#pragma once

#include "plan/layout.hpp"
#include "plan/strip.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// Blocks that begin at first, first + step, ... and end before `end`; they lie in a row in the rank's part.
struct RegularBlocks {
    std::int64_t first;
    std::int64_t block;
    std::int64_t step; ///< more than `block`; 0: there is one block only
    std::int64_t end;  ///< of the last one, which may be shorter

    static RegularBlocks one(Range range) { return {range.first, range.count(), 0, range.end}; }

    std::int64_t place_of(std::int64_t element) const; ///< of one that lies in a block
    std::vector<Range> ranges() const;                 ///< of each block
};

/// Elements that lie in both, by their places in the one part and in the other; ascending in both. Blocks that come
/// again after a common period of both are told once. Takes time for the blocks of the one that has fewer within a
/// period, and for what is shared there.
std::vector<Strip> shared_elements(const RegularBlocks &from, const RegularBlocks &to);

}
