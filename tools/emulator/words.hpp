// SPDX-License-Identifier: BSD-3-Clause
// The words that files have for values of the public API: the run file is read and results are written with them.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include <nereus/nereus.h>

namespace emulator {

template <class T> using Words = std::vector<std::pair<std::string_view, T>>;

const Words<nereus_process_method> &process_methods();
const Words<nereus_transfer_method> &transfer_methods();
const Words<nereus_transfer_strategy> &transfer_strategies();
const Words<nereus_survivors> &survivor_choices();
const Words<nereus_placement> &placements();
const Words<nereus_release_unit> &release_units();

std::string_view name_of(nereus_process_method method);
std::string_view name_of(nereus_transfer_method method);
std::string_view name_of(nereus_transfer_strategy strategy);

} // namespace emulator
