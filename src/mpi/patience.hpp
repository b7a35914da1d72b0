// SPDX-License-Identifier: BSD-3-Clause
// How a process that has nothing else to do waits: attentive at first, then with less and less use of the core.
#pragma once

#include "base/clock.hpp"
#include "mpi/waiting.hpp"

#include <unistd.h>

namespace nereus::mpi {

class Patience {
public:
    void pause() {
        if (++rounds_ < attentive_rounds) return;
        if (since_.seconds() < seconds_of_rests)
            rest();
        else
            usleep(nap_microseconds);
    }

private:
    static constexpr int attentive_rounds = 64;
    static constexpr double seconds_of_rests = 0.05;
    static constexpr useconds_t nap_microseconds = 1000;

    int rounds_ = 0;
    Stopwatch since_;
};

}
