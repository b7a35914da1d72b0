// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace nereus {

/// The index in a vector of what `number` counts, which is not negative: a rank, a level, a slot.
constexpr std::size_t at(int number) { return static_cast<std::size_t>(number); }

}
