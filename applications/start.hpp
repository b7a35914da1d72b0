// SPDX-License-Identifier: BSD-3-Clause
// For programs that are one of several jobs: what tells them apart, and when they begin.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace applications {

struct Start {
    double at = 0; ///< seconds since 1970
    std::string label;
};

/// Makes the command line `app` know these options.
void add_start(CLI::App &app, Start &start);

/// Sleeps until then. To be called before the job is open: no time of it counts as one of iterations.
void wait_for(const Start &start);

}
