// SPDX-License-Identifier: BSD-3-Clause
#include "base/small_share.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace nereus {
namespace {

TEST(SmallShare, WhatWasNeverDoneIsDue) { EXPECT_TRUE(SmallShare().is_due()); }

TEST(SmallShare, WhatTookAMomentRestsForLonger) {
    SmallShare share;
    int done = 0;
    const double begin = now();
    while (now() - begin < 0.2) {
        if (!share.is_due()) continue;
        ++done;
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // its rest would be 4 s
        share.done();
    }
    EXPECT_GE(done, 1);
    EXPECT_LE(done, 3) << "more than once in the longest rest, 0.1 s";
}

TEST(SmallShare, ALongLookDoesNotPutOffTheNextOneForLong) {
    SmallShare share;
    ASSERT_TRUE(share.is_due());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    share.done();
    std::this_thread::sleep_for(std::chrono::duration<double>(SmallShare::longest_quiet));
    EXPECT_TRUE(share.is_due());
}

}
}
