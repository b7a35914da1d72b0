// SPDX-License-Identifier: BSD-3-Clause
// The arithmetic of an iteration: a fixed amount, not a fixed time, so that whatever takes the core away meanwhile
// shows in the iteration's time.
#pragma once

#include <cstdint>

namespace transfers {

void compute(std::int64_t steps);

/// How many steps take so long on a core that is free; the quickest of several tries counts.
std::int64_t steps_in(double seconds);

}
