// SPDX-License-Identifier: BSD-3-Clause
// Collectives as Open MPI's own monitoring adds them up: from one to all, from all to one, from all to all.
#pragma once

#include "record/communicators.hpp"
#include "record/totals.hpp"

namespace nereus::monitor {

enum class Shape { from_one, to_one, to_all };

/// Calls of the shape on the communicator with this number, and the bytes that this process sent in them.
Count sum_of(Shape shape, std::uint32_t communicator, const Sides &sides, const Totals &totals);

}
