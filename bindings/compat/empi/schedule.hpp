// SPDX-License-Identifier: BSD-3-Clause
// Resizes that a user writes down before the start: NEREUS_EMPI_SCHEDULE=ITERATION:PROCESSES,...
#pragma once

#include <map>
#include <string>

namespace nereus::compat {

class Schedule {
public:
    /// @return false where the text cannot be read
    bool read(const std::string &text);

    /// Processes wanted at the end of this iteration; 0: no change.
    int at(int iteration) const;

private:
    std::map<int, int> sizes_;
};

}
