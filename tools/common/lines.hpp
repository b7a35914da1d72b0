// SPDX-License-Identifier: BSD-3-Clause
// What lines on stdout are made of.
#pragma once

#include <nereus/nereus.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace common {

/// One line, at once: the program may not live to print the next one.
void print(const nlohmann::json &line);

double median(std::vector<double> values);

/// Why a resize was rolled back; not nereus_message(), so that the same cause reads the same for each request.
std::string rolled_back(const nereus_resize_report &report);

}
