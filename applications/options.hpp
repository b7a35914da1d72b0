// SPDX-License-Identifier: BSD-3-Clause
// The part of the command line that all applications have.
#pragma once

#include "applications/resizes.hpp"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace applications {

struct Options {
    std::int64_t iterations = 1000; ///< at most
    double tolerance = 1e-8;        ///< ends before where this is reached; 0: it never is
    Schedule resizes;
    std::string result; ///< file of the result line; "": stdout
};

/// Makes the command line `app` know these options. What belongs to the library is left to it.
void add_options(CLI::App &app, Options &options);

/// What is wrong with words that are no options of the program, or "".
std::string complaint_of_words(const CLI::App &app);

}
