// SPDX-License-Identifier: BSD-3-Clause
// Collectives as Open MPI's own monitoring adds them up: from one to all, from all to one, from all to all.
#pragma once

#include "monitor/totals.hpp"

namespace nereus::monitor {

enum class Shape { from_one, to_one, to_all };

/// The communicator that is asked for, as one of its processes sees it.
struct Sides {
    std::uint32_t number = 0; ///< scope of its cells
    std::size_t rank = 0;     ///< of this process
    std::size_t size = 1;     ///< processes that can be sent to: the other side's, where there are two
    bool has_two_sides = false;
};

/// Calls of the shape on the communicator, and the bytes that this process sent in them.
Count sum_of(Shape shape, const Sides &communicator, const Totals &totals);

}
