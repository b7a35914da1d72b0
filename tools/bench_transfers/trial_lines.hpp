// SPDX-License-Identifier: BSD-3-Clause
// The JSON lines that say what became of a trial: docs/reference/bench.md.
#pragma once

#include "way.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace transfers {

/// What was measured around a resize; times in seconds.
struct Measured {
    nereus_resize_report report;
    double before = 0;              ///< mean loop before the request
    std::vector<double> background; ///< loops while constant data moved
    std::vector<double> after;      ///< usual loops after it
    std::vector<double> whole;      ///< iterations after it that touched everything, the very first one first
    double over = 0;                ///< from the request until it was done
    std::int64_t ended_since = 0;   ///< iterations meanwhile
    std::int64_t wrong = 0;         ///< elements with another value than they should have
};

double mean(const std::vector<double> &values);

void print_trying(const Way &way);
void print_failed(const Way &way, const std::string &why);
void print_done(const Way &way, const Measured &measured);

}
