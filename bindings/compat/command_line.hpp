// SPDX-License-Identifier: BSD-3-Clause
// The command line of this process, for interfaces that are not told it.
#pragma once

#include <string>
#include <vector>

namespace nereus::compat {

class CommandLine {
public:
    CommandLine();
    int count() const { return static_cast<int>(pointers_.size()) - 1; }
    char **values() { return pointers_.data(); } ///< with a NULL at the end, as main() gets it

private:
    std::vector<std::string> words_;
    std::vector<char *> pointers_;
};

}
