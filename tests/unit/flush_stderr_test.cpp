// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the sentence that says why a program was ended, in a pipe that nobody reads any more.
#include "base/flush_stderr.h"

#include <array>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace {

struct Pipe {
    std::array<int, 2> ends{};
    Pipe() { EXPECT_EQ(pipe(ends.data()), 0); }
    ~Pipe() {
        close(ends[0]);
        close(ends[1]);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    std::string read_now() const {
        std::array<char, 64> text{};
        const ssize_t bytes = read(ends[0], text.data(), text.size());
        return {text.data(), static_cast<std::size_t>(bytes)};
    }
};

}

TEST(FlushStderr, WaitsUntilALineIsRead) {
    const Pipe pipe;
    EXPECT_TRUE(nereus_is_drained(pipe.ends[1], 0));
    ASSERT_EQ(write(pipe.ends[1], "why", 3), 3);
    EXPECT_FALSE(nereus_is_drained(pipe.ends[1], 1));
    EXPECT_EQ(pipe.read_now(), "why");
    EXPECT_TRUE(nereus_is_drained(pipe.ends[1], 0));
}

TEST(FlushStderr, WaitsForNobodyWhereStderrIsNoPipe) {
    EXPECT_TRUE(nereus_is_drained(-1, 0));
    FILE *file = tmpfile();
    ASSERT_NE(file, nullptr);
    ASSERT_GT(fprintf(file, "why"), 0);
    EXPECT_TRUE(nereus_is_drained(fileno(file), 0));
    fclose(file);
}
