// SPDX-License-Identifier: BSD-3-Clause
// Process strategies as words and as the bits of enum nereus_process_strategy, and which of them go together.
#pragma once

#include "base/error.hpp"

#include <nereus/resize.h>

#include <string>
#include <vector>

namespace nereus::strategies {

inline constexpr unsigned asynchronous = NEREUS_ASYNCHRONOUS;
inline constexpr unsigned single = NEREUS_SINGLE;
inline constexpr unsigned multiple = NEREUS_MULTIPLE;
inline constexpr unsigned parallel = NEREUS_PARALLEL;
inline constexpr unsigned join = NEREUS_JOIN;
inline constexpr unsigned automatic = NEREUS_AUTO;

/// What a user may write, for messages and help.
std::string allowed_strategies();

/// NEREUS_ERR_ARGUMENT saying why `bits` hold a strategy that does not exist or two that exclude one another.
Done check(unsigned bits);

/// Bits of words with '+' between them, as "single+asynchronous"; "none" is 0, "auto" is `automatic`. Checked.
Result<unsigned> read_strategies(const std::string &text);

/// The words of checked `bits` in the order of the bits; none for 0.
std::vector<std::string> list_of(unsigned bits);

/// The words of checked `bits`, in the order of the bits and with '+' between them; "none" for 0.
std::string words_of(unsigned bits);

}
