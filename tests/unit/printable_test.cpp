// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a terminal to the name of an array or a file.
#include "base/printable.hpp"

#include <gtest/gtest.h>

using nereus::printable;

TEST(Printable, LeavesTextAsItIs) {
    for (const char *text : {"", "heat.x", "größe", "名前", "\U0001f600", "a\\b \"c\""})
        EXPECT_EQ(printable(text), text);
}

TEST(Printable, HasNothingThatATerminalObeys) {
    EXPECT_EQ(printable("\x1b[31m\n\r\x7f"), R"(\u001b[31m\u000a\u000d\u007f)");
    EXPECT_EQ(printable("\xc2\x9b"
                        "2J"),
              R"(\u009b2J)");
    EXPECT_EQ(printable("\u202e\u2028"), R"(\u202e\u2028)");
    EXPECT_EQ(printable("\U000e0001"), R"(\udb40\udc01)");
}

TEST(Printable, ShowsBytesThatAreNoCharacters) {
    EXPECT_EQ(printable("a\xff"
                        "b"),
              R"(a\udcffb)");
    EXPECT_EQ(printable("\xed\xa0\x80"), R"(\udced\udca0\udc80)"); // a lone surrogate
    EXPECT_EQ(printable("\xc0\xaf"), R"(\udcc0\udcaf)");           // a / in two bytes
    EXPECT_EQ(printable("\xf4\x90\x80\x80"), R"(\udcf4\udc90\udc80\udc80)");
    EXPECT_EQ(printable("\xe2\x82"), R"(\udce2\udc82)");
}

TEST(Printable, DoesNotChangeWhatIsPrintableAlready) {
    const std::string once = printable("\x1b\xff\u202e");
    EXPECT_EQ(printable(once), once);
}
