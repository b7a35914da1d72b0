// SPDX-License-Identifier: BSD-3-Clause
// What newcomers run: the program that this process is, with the same arguments in the same folder.
#pragma once

#include "base/error.hpp"

#include <string>
#include <vector>

namespace nereus::process {

struct Program {
    std::string path; ///< absolute path of the executable
    std::vector<std::string> arguments;
    std::string folder;

    /// The program of this process, which was given `argc` and `argv`.
    static Program here(int argc, const char *const *argv);

    /// The command line.
    std::vector<std::string> words() const;

    /// Whether it can still be started from this host.
    Done check() const;
};

}
