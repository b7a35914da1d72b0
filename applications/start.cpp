// SPDX-License-Identifier: BSD-3-Clause
#include "applications/start.hpp"

#include <CLI/CLI.hpp>

#include <chrono>
#include <thread>

namespace applications {

void add_start(CLI::App &app, Start &start) {
    app.add_option("--start-at", start.at, "seconds since 1970: the job begins no earlier")
        ->check(CLI::Range(0.0, 1e11))
        ->envname("NEREUS_START_AT");
    app.add_option("--label", start.label, "a word without effect, to distinguish jobs");
}

void wait_for(const Start &start) {
    using std::chrono::system_clock;
    const std::chrono::duration<double> since_1970(start.at);
    std::this_thread::sleep_until(
        system_clock::time_point(std::chrono::duration_cast<system_clock::duration>(since_1970)));
}

}
