// SPDX-License-Identifier: BSD-3-Clause
// What iterations are made of, as rank 0 tells the daemon and ranks compare with one another.
#pragma once

namespace nereus::job {

/// Seconds of this process in the stages of iterations, by what they do.
struct Spent {
    double compute = 0;
    double communication = 0;
    bool has_stages = false; ///< the application marks some

    void add(const Spent &other) {
        compute += other.compute;
        communication += other.communication;
        has_stages = has_stages || other.has_stages;
    }
};

}
