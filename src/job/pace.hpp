// SPDX-License-Identifier: BSD-3-Clause
// How long iterations take, without the time of I/O phases and resizes.
#pragma once

#include <cstdint>

namespace nereus::job {

class Pace {
public:
    static constexpr double seconds_per_sample = 1;

    explicit Pace(double now) : mark_(now) {}

    /// An iteration ends. @return whether there is a sample to take
    bool iterated(double now) {
        run_to(now);
        ++iterations_;
        return runs_ && seconds_ >= seconds_per_sample;
    }
    void stop(double now) {
        run_to(now);
        runs_ = false;
    }
    void go_on(double now) {
        mark_ = now;
        runs_ = true;
    }
    std::int64_t iterations() const { return iterations_; }
    double seconds() const { return seconds_; }
    /// A sample was taken, or what was measured belongs to no sample.
    void begin_sample() {
        iterations_ = 0;
        seconds_ = 0;
    }

private:
    void run_to(double now) {
        if (runs_) seconds_ += now - mark_;
        mark_ = now;
    }

    double mark_;
    bool runs_ = true;
    std::int64_t iterations_ = 0;
    double seconds_ = 0;
};

}
