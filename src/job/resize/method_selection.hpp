// SPDX-License-Identifier: BSD-3-Clause
// Which ways to carry data there are for a resize, and which one it takes where `auto` was asked for.
#pragma once

#include "job/data/array_redistribution.hpp"
#include "job/state/request.hpp"
#include "plan/cost_model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <optional>

namespace nereus::job {

/// NEREUS_ERR_UNSUPPORTED where data cannot be carried so; each of both may be `auto`.
/// @param one_world  whether all who take part are of one MPI_COMM_WORLD
Done check_transfer_choice(int process_method, bool one_world, const TransferChoice &transfer_choice);

/// Whether rank 0 has something to choose, and knows by what.
bool is_to_choose(const Request &request, const std::optional<plan::Costs> &costs);

/// What is taken without choosing: p2p and blocking for what is `auto`.
TransferChoice usual_transfer_choice(const Request &request);

/// Collective over the sources: what rank 0 chose, the same on all; nothing where costs of no possible way are known.
///
/// @param sides      of this source
/// @param one_world  as of check_transfer_choice()
/// @param costs      rank 0's count
Result<std::optional<plan::Choice>> choose_together(MPI_Comm sources, Registry &registry, const Sides &sides,
                                                    const Request &request, bool one_world,
                                                    const std::optional<plan::Costs> &costs);

}
