// SPDX-License-Identifier: BSD-3-Clause
// A way to move data, as the command line names it: PROCESSES:METHOD:STRATEGY, "merge:auto:rma-lockall:wait-drains".
// PROCESSES is a way to make processes; a method alone goes with no strategies.
#pragma once

#include "tools/common/combination.hpp"

#include <nereus/nereus.h>

#include <string>
#include <tl/expected.hpp>

namespace transfers {

struct Way {
    std::string text;
    common::Combination processes;
    nereus_transfer_method method = NEREUS_P2P;
    nereus_transfer_strategy strategy = NEREUS_BLOCKING;
    bool is_shared = false; ///< the arrays are to lie in the shared memory of each host, for the whole life of the job
};

/// The error is a sentence that says what is allowed.
tl::expected<Way, std::string> read_way(const std::string &text);

std::string word_of(nereus_transfer_method method);
std::string word_of(nereus_transfer_strategy strategy);

}
