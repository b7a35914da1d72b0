// SPDX-License-Identifier: BSD-3-Clause
#include "record/session.hpp"

namespace nereus::monitor {

Totals Session::read() const {
    Totals sums = before_;
    if (begin_)
        for (const auto &[address, count] : since(totals(arena_), *begin_)) sums[address] += count;
    return sums;
}

void Session::stop() {
    before_ = read();
    begin_.reset();
}

void Session::reset() {
    before_.clear();
    if (begin_) begin_ = totals(arena_);
}

}
