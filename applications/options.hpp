// SPDX-License-Identifier: BSD-3-Clause
// The part of the command line that all applications have.
#pragma once

#include "applications/resizes.hpp"

#include <cstdint>
#include <string>

namespace CLI {
class App;
class Option;
}

namespace applications {

inline constexpr std::int64_t usual_piece = 1024 * 1024;

struct Options {
    std::int64_t iterations = 1000; ///< at most
    double tolerance = 1e-8;        ///< ends before where this is reached; 0: it never is
    Schedule resizes;
    std::string result; ///< file of the result line; "": stdout
};

/// Whether the result is good enough. @param change  of the latest iteration
bool is_converged(const Options &options, std::int64_t iterations, double change);

/// Without a tolerance the number of iterations is fixed, also where nothing changes any more.
bool is_done(const Options &options, std::int64_t iterations, double change);

/// Makes the command line `app` know these options. What belongs to the library is left to it.
void add_options(CLI::App &app, Options &options);

/// The same of --resize alone.
void add_resizes(CLI::App &app, Schedule &resizes);

/// The same of --piece, the bytes of a piece of a SharedFile.
CLI::Option *add_piece(CLI::App &app, std::int64_t &bytes);

/// What is wrong with words that are no options of the program, or "".
std::string complaint_of_words(const CLI::App &app);

}
