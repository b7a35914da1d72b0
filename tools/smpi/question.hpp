// SPDX-License-Identifier: BSD-3-Clause
// What `nereus simulate` asks, as JSON. It has been checked there: what is not right here is a wrong program.
#pragma once

#include "redistribution.hpp"
#include "traffic.hpp"

#include <string>

namespace smpi {

/// They throw std::exception where the file is not as it should be.
Redistribution read_redistribution(const std::string &file);
Traffic read_traffic(const std::string &file);

}
