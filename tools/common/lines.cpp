// SPDX-License-Identifier: BSD-3-Clause
#include "tools/common/lines.hpp"

#include <algorithm>
#include <cstdio>

namespace common {

void print(const nlohmann::json &line) {
    std::printf("%s\n", line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    std::fflush(stdout);
}

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

std::string rolled_back(const nereus_resize_report &report) {
    return std::string("rolled back while ") + report.state + ": " + report.reason;
}

}
