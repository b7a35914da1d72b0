// SPDX-License-Identifier: BSD-3-Clause
// A way to make processes, as the command line names it: METHOD:STRATEGIES, "merge:single+asynchronous".
#pragma once

#include <nereus/nereus.h>

#include <string>
#include <tl/expected.hpp>

namespace common {

struct Combination {
    std::string text;
    nereus_process_method method = NEREUS_MERGE;
    unsigned strategies = 0; ///< sum of nereus_process_strategy
    bool wakes = false;      ///< parked processes are to be woken, none to be made
};

/// The error is a sentence that says what is allowed.
tl::expected<Combination, std::string> read_combination(const std::string &text);

/// Why processes came about in another way than was wanted, or "".
std::string complaint(const Combination &wanted, const nereus_resize_report &report);

}
