// SPDX-License-Identifier: BSD-3-Clause
// The part of the model (mpich_model.hpp) that is about reductions.
#pragma once

#include "record/mpich_model.hpp"

namespace nereus::monitor {

void reduce_as_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take);
void allreduce_as_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take);
void reduce_scatter_as_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take);

}
