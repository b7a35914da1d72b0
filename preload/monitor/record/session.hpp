// SPDX-License-Identifier: BSD-3-Clause
// What was counted between starts and stops: sessions read the same counters, and none writes to them.
#pragma once

#include "record/totals.hpp"

#include <optional>

namespace nereus::monitor {

class Session {
public:
    explicit Session(const Arena &arena) : arena_(arena) {}

    bool is_running() const { return begin_.has_value(); }
    void start() {
        if (!begin_) begin_ = totals(arena_);
    }
    void stop();
    void reset();

    /// Of all times at which it ran.
    Totals read() const;

private:
    const Arena &arena_;
    std::optional<Totals> begin_; ///< of the time at which it runs now
    Totals before_;               ///< of the times that are over
};

}
