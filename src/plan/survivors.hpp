// SPDX-License-Identifier: BSD-3-Clause
// Merge: which sources go on, and as which drains, so that most bytes stay where they are.
//
// Source 0 always becomes drain 0. For blocks that costs nothing: rank 0 has the largest block on both sides, so that
// no other pair with source 0 or drain 0 shares more, and giving up one pair frees the other.
#pragma once

#include "plan/distribution.hpp"
#include "plan/process_fate.hpp"
#include "plan/sizes.hpp"

#include <cstdint>
#include <vector>

namespace nereus::plan {

/// One array of a resize. All arrays together have fewer than 2^61 bytes.
struct LocalSizes {
    Distribution before;
    Distribution after;
    std::int64_t extent; ///< bytes of an element
};

enum class Survivors { first, least_movement, automatic }; ///< numbers of enum nereus_survivors

struct Selection {
    std::vector<int> kept; ///< for Sizes; empty: the usual numbering, also where another one keeps as much
    bool best;             ///< no other choice that is allowed keeps more
};

/// The sources that go on; as many as there can be.
///
/// automatic: when the job shrinks, only those choices count that let most processes exit (plan/release.hpp); else as
/// least_movement.
///
/// Cost: the overlaps of all arrays, and a heaviest matching of them (plan/matching.hpp): tens of milliseconds for
/// blocks on 10^5 processes. The automatic choice takes a matching for that set of worlds which could keep least
/// (plan/leaving.hpp); if the others do not reach what they could keep alone, one for each set with which most exit.
/// It may be that not the best is chosen, which `best` says,
/// - where a matching gives up, or an array's parts overlap in more than 10^7 pairs of ranks (cyclic, grid): that
///   array is not weighed, of which the usual numbering keeps nearly as much as any;
/// - where the sets of worlds are too many: those that cost 5 * 10^6 steps in all are tried.
Selection choose_survivors(int sources, int drains, const std::vector<LocalSizes> &arrays, Survivors policy,
                           const std::vector<World> &world_of_rank);

/// Bytes that at least have to go from one process to another, whichever way the drains are numbered over the processes
/// when source 0 is drain 0. Where the best numbering is not found (above), a bound that is lower.
std::int64_t least_moved(const std::vector<LocalSizes> &arrays, const Sizes &sizes);

}
