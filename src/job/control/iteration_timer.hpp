// SPDX-License-Identifier: BSD-3-Clause
// How long iterations take, without the time of I/O phases and resizes.
#pragma once

#include <cstdint>
#include <utility>

namespace nereus::job {

class IterationTimer {
public:
    static constexpr double seconds_per_sample = 1;

    explicit IterationTimer(double now) : mark_(now) {}

    /// An iteration ends. @return whether there is a sample to take
    bool iterated(double now) {
        run_to(now);
        if (!runs_) return false;
        last_ = std::exchange(since_, 0);
        if (!std::exchange(begun_, true))
            begin_sample(); // what came before is no iteration: making data, reading input
        else
            ++iterations_;
        return seconds_ >= seconds_per_sample;
    }
    void stop(double now) {
        run_to(now);
        runs_ = false;
    }
    void go_on(double now) {
        mark_ = now;
        runs_ = true;
    }
    /// Whether most of an iteration was done since the last one ended, if it takes as long as that.
    bool is_near_its_end() const { return since_ > last_ / 2; }
    std::int64_t iterations() const { return iterations_; }
    double seconds() const { return seconds_; }
    /// What was measured until the next iteration ends belongs to no sample.
    void begin_anew() { begun_ = false; }
    /// A sample was taken.
    void begin_sample() {
        iterations_ = 0;
        seconds_ = 0;
    }

private:
    void run_to(double now) {
        if (runs_) {
            seconds_ += now - mark_;
            since_ += now - mark_;
        }
        mark_ = now;
    }

    double mark_;
    bool runs_ = true;
    bool begun_ = false;
    std::int64_t iterations_ = 0;
    double seconds_ = 0;
    double last_ = 0;  ///< seconds of the last iteration
    double since_ = 0; ///< since it ended
};

}
