// SPDX-License-Identifier: BSD-3-Clause
// What a process sent, as Open MPI's own monitoring writes it to NAME.RANK.prof; python/nereus/analysis/monitor/prof.py
// says what its fields are, and reads it.
#pragma once

#include "record/totals.hpp"

#include <string>

namespace nereus::monitor {

/// Of the process's own world. Phases and generations have no place in such a file and are added up.
std::string prof_text(const Totals &totals, const Arena &arena);

}
