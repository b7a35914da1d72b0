// SPDX-License-Identifier: BSD-3-Clause
// Resizes that an application asks for itself, and what becomes of all of them.
#pragma once

#include <nereus/nereus.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace applications {

struct WantedResize {
    std::int64_t iterations; ///< asked for when so many are done
    int ranks;
};

using Schedule = std::vector<WantedResize>;

/// From AT:RANKS; throws CLI::ValidationError.
WantedResize read_resize(const std::string &word);

/// Rank 0 asks for what is wanted now; says on stderr what the library refuses. To be called when an iteration is done,
/// so that a newcomer that becomes rank 0 does not ask again for what brought it.
void ask_for_resizes(const std::string &program, nereus::Job &job, const Schedule &schedule,
                     std::int64_t iterations_done);

/// As Job::checkpoint(); rank 0 says on stderr when a resize was rolled back. @param rolled_back counts these
nereus::Outcome checkpoint(const std::string &program, nereus::Job &job, std::int64_t &rolled_back);

/// Rank 0 says on stderr which resizes never came, because the run ended before.
void say_what_never_came(const std::string &program, const nereus::Job &job, const Schedule &schedule,
                         std::int64_t iterations_done);

}
