// SPDX-License-Identifier: BSD-3-Clause
// The costs that `nereus calibrate` measured: docs/formats/costs.md.
#pragma once

#include "base/error.hpp"
#include "plan/cost_model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace nereus::job {

/// Whatever `text` is; the error says what is wrong with it.
Result<plan::Costs> read_costs(const std::string &text);

/// NEREUS_ERR_SETTING names the file, and says what is wrong with it and what is allowed.
Result<plan::Costs> costs_of_file(const std::string &path);

/// What read_costs() reads.
nlohmann::json as_json(const plan::Costs &costs);

}
