// SPDX-License-Identifier: BSD-3-Clause
// Who sends which elements of one array to whom when a job is resized.
//
// Each rank computes its own part alone, in the time of its own overlaps: nothing has the length of the job, and
// nothing that of the array (of a matrix: its lines at most).
#pragma once

#include "plan/distribution.hpp"
#include "plan/sizes.hpp"
#include "plan/strip.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// Elements that go between this process and source or drain number `peer`, in the order in which they travel.
struct Piece {
    int peer;
    std::vector<Strip> strips; ///< ascending in both places
    bool operator==(const Piece &) const = default;

    std::int64_t count() const { return count_of(strips); }
};

/// What one process does for one array.
struct Move {
    std::vector<Piece> sends;    ///< peers are drains
    std::vector<Piece> receives; ///< peers are sources
    std::vector<Strip> stays;    ///< elements that this process has and keeps
    bool unchanged = false;      ///< the process' whole part stays as it is
};

/// O(own peers) where the layout stays, with its blocks; else for each rank of the other side what shared_elements()
/// takes.
///
/// @param before, after  of the same array, a matrix with the same sides; halos only where both are contiguous
Move move_of(const Distribution &before, const Distribution &after, const Sizes &sizes, const Place &place);

inline Move move_of(Layout layout, std::int64_t elements, const Sizes &sizes, const Place &place) {
    return move_of({layout, elements, sizes.sources}, {layout, elements, sizes.drains}, sizes, place);
}

}
