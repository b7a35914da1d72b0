// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a trace of what was asked for, or one that is full before that comes.
#include "record/recording_windows.hpp"

#include "a_record.hpp"

#include "base/clock.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

namespace nereus::monitor {
namespace {

constexpr std::int64_t second = 1'000'000'000;

/// Without windows of its own.
RecordingWindows::Settings off(const std::string &file = "/nowhere/record-until") {
    return {.is_off = true, .file = file, .around_resizes = {}, .iterations = {}};
}

TEST(RecordingWindows, AreOpenWhereNothingIsLimited) {
    RecordingWindows windows({});
    EXPECT_TRUE(windows.is_open(0));
    EXPECT_TRUE(windows.is_open(1000 * second));
}

TEST(RecordingWindows, AreClosedWithoutAReason) {
    RecordingWindows windows(off());
    windows.iteration_begins(3);
    windows.resize_goes_on();
    EXPECT_FALSE(windows.is_open(0));
}

TEST(RecordingWindows, AreOpenInIterationsFromTheFirstToTheLast) {
    RecordingWindows::Settings settings = off();
    settings.iterations = RecordingWindows::Iterations{3, 4};
    RecordingWindows windows(settings);
    std::string open;
    for (std::uint64_t number = 0; number < 7; ++number) {
        windows.iteration_begins(number);
        open += windows.is_open(0) ? '1' : '0';
    }
    EXPECT_EQ(open, "0001100");
}

TEST(RecordingWindows, AreOpenDuringAResizeAndSoLongBehindIt) {
    RecordingWindows::Settings settings = off();
    settings.around_resizes = 2.0;
    RecordingWindows windows(settings);
    EXPECT_FALSE(windows.is_open(5 * second));
    windows.resize_goes_on();
    EXPECT_TRUE(windows.is_open(100 * second));
    windows.resize_ended(200 * second);
    EXPECT_TRUE(windows.is_open(202 * second - 1));
    EXPECT_FALSE(windows.is_open(202 * second));
}

TEST(RecordingWindows, AreOpenUntilTheMomentThatTheFileSays) {
    const Folder folder;
    const std::string file = folder.file("record-until");
    RecordingWindows windows(off(file));
    std::ofstream(file) << std::to_string(unix_now() + 3600) << "\n";
    EXPECT_TRUE(windows.is_open(0));
    EXPECT_TRUE(windows.is_open(3000 * second));
    std::ofstream(file) << std::to_string(unix_now() - 1) << "\n";
    EXPECT_FALSE(windows.is_open(3001 * second));
    ::unlink(file.c_str());
    EXPECT_FALSE(windows.is_open(3002 * second));
}

TEST(RecordingWindows, CloseWhereTheFileIsTakenAway) {
    const Folder folder;
    const std::string file = folder.file("record-until");
    RecordingWindows windows(off(file));
    std::ofstream(file) << std::to_string(unix_now() + 3600) << "\n";
    EXPECT_TRUE(windows.is_open(0));
    ::unlink(file.c_str());
    EXPECT_TRUE(windows.is_open(second / 1000)) << "it looks now and then only";
    EXPECT_FALSE(windows.is_open(second));
}

TEST(RecordingWindows, StayClosedWhereTheFileSaysNothing) {
    for (const char *const text : {"", "soon", "inf", "nan", "-1e300", "1e400", "\xff\xfe"}) {
        const Folder folder;
        const std::string file = folder.file("record-until");
        std::ofstream(file) << text;
        RecordingWindows windows(off(file));
        EXPECT_FALSE(windows.is_open(0)) << text;
    }
    RecordingWindows in_a_folder(off("/tmp"));
    EXPECT_FALSE(in_a_folder.is_open(0));
}

TEST(RecordingWindows, AreOpenAYearAtMostFromOutside) {
    const Folder folder;
    const std::string file = folder.file("record-until");
    std::ofstream(file) << "1e300";
    RecordingWindows windows(off(file));
    EXPECT_TRUE(windows.is_open(0));
    EXPECT_TRUE(windows.is_open(second));
}

}
}
