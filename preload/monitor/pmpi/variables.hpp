// SPDX-License-Identifier: BSD-3-Clause
// What this process sent, through MPI's own tool interface (MPI 4.0, 15.3): where the MPI lets others add variables.
#pragma once

namespace nereus::pmpi {

/// Behind the begin of a record. Where the names are taken, says so in the record.
void show_variables();

/// Before the record ends.
void forget_variables();

}
