// SPDX-License-Identifier: BSD-3-Clause
// How much of a core a process takes that works beside others who have something better to do.
#pragma once

namespace nereus::transfer {

class Throttle {
public:
    /// @param share  of a core, above 0; with 1 it rests only after having found nothing to do many times
    explicit Throttle(double share) : share_(share) {}

    /// From now on all of a core.
    void hurry() { share_ = 1; }

    /// After a step: sleeps when enough work was done to be worth a sleep.
    void after_work();

    /// After a step that found nothing to do.
    void after_nothing();

private:
    bool is_polite() const { return share_ < 1; }

    double share_;
    double worked_until_ = 0; ///< processor time of this thread at the last sleep
    bool began_ = false;
    int found_nothing_ = 0;
};

}
