// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the sentence that says why a program was ended, in a pipe that nobody reads any more.
#include "base/last_words.hpp"

#include <array>
#include <chrono>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace std::chrono_literals;

TEST(LastWords, AreWaitedForUntilTheyAreRead) {
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    EXPECT_TRUE(nereus::drained(ends[1], 0ms));
    ASSERT_EQ(write(ends[1], "why", 3), 3);
    EXPECT_FALSE(nereus::drained(ends[1], 1ms));
    std::array<char, 8> read_here{};
    ASSERT_EQ(read(ends[0], read_here.data(), read_here.size()), 3);
    EXPECT_TRUE(nereus::drained(ends[1], 0ms));
    close(ends[0]);
    close(ends[1]);
}

TEST(LastWords, OfWhatIsNoPipeNothingIsWaitedFor) {
    EXPECT_TRUE(nereus::drained(-1, 0ms));
    FILE *file = tmpfile();
    ASSERT_NE(file, nullptr);
    ASSERT_GT(fprintf(file, "why"), 0);
    EXPECT_TRUE(nereus::drained(fileno(file), 0ms));
    fclose(file);
}
