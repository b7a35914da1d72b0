// SPDX-License-Identifier: BSD-3-Clause
// The words of the file for kinds, calls, reaches and ends.
#pragma once

#include "record/arena.hpp"

namespace nereus::monitor {

const char *name(Kind kind);
const char *name(Call call);
const char *name(Reach reach);
const char *name(End end);

}
