// SPDX-License-Identifier: BSD-3-Clause
// One host as hwloc sees it: packages, caches, cores, where the program was built with hwloc.
#pragma once

#include "base/error.hpp"

#include <string>
#include <vector>

namespace nereus::place {

/// Which host: exactly one of the three.
struct WhichMachine {
    std::string xml;        ///< a file, as lstopo writes it
    std::string synthetic;  ///< as hwloc has it: "package:2 core:10 pu:1"
    bool here = false;      ///< the one that this runs on
    bool by_thread = false; ///< slots are hardware threads, not cores
};

/// Levels that branch nowhere are left out, but for the last, the slots.
struct Inside {
    std::vector<std::string> levels;        ///< what the nodes below the host are, the slots last
    std::vector<std::vector<int>> children; ///< of each node, level by level, the host first
    std::vector<int> processors;            ///< of each slot: the first of its processors, as the system numbers them
};

/// NEREUS_ERR_UNSUPPORTED without hwloc; NEREUS_ERR_ARGUMENT for what hwloc does not take.
Result<Inside> inside_of(const WhichMachine &which);

}
