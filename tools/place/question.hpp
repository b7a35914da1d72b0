// SPDX-License-Identifier: BSD-3-Clause
// What `nereus place` asks: a topology and who may be where, as JSON (docs/formats/topology.md).
#pragma once

#include "plan/mapping/problem.hpp"

#include <optional>
#include <string>

namespace nereus::place {

struct Question {
    plan::mapping::Problem problem;
    int host_level = 0; ///< of the nodes that round-robin goes to in turns
    std::optional<plan::mapping::Mapping> current;
    std::uint64_t seed = 0;
};

/// NEREUS_ERR_ARGUMENT or NEREUS_ERR_RANGE: what is not allowed in the file, or cannot be asked of these ranks.
Result<Question> read_question(const std::string &file, plan::mapping::Traffic traffic);

}
