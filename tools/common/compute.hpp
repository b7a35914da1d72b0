// SPDX-License-Identifier: BSD-3-Clause
// An iteration's computation, for programs whose iterations are to have a known length.
#pragma once

namespace common {

/// Computes for `seconds`, with no call of MPI or of the system but for the time.
void compute(double seconds);

}
