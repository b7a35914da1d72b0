// SPDX-License-Identifier: BSD-3-Clause
// The messages that an MPI makes of collectives, where something can see them.
#pragma once

namespace nereus::pmpi {

/// From here on they are counted. Says in the record what sees them, or why nothing does.
/// @param model  whether a model may tell them where they are not seen
void watch_decomposed(bool model);

void unwatch_decomposed();

}
