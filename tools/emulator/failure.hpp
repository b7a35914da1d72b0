// SPDX-License-Identifier: BSD-3-Clause
// What went wrong, as it travels from the place where it is known to the place that ends the program.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace emulator {

constexpr int exit_failure = 1;   ///< the run failed, or the data was not intact
constexpr int exit_bad_input = 2; ///< the command line or the run file is not allowed; nothing was started

struct Failure {
    int exit_code = exit_failure;
    std::string sentence;  ///< empty on ranks that only heard that another one failed
    bool is_alone = false; ///< the other ranks do not know, and may wait for this one
};

template <class T> using Result = tl::expected<T, Failure>;

inline tl::unexpected<Failure> failure(std::string sentence, int exit_code = exit_failure) {
    return tl::make_unexpected(Failure{exit_code, std::move(sentence), false});
}

} // namespace emulator
