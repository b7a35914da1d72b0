// SPDX-License-Identifier: BSD-3-Clause
#include "base/strategies.hpp"

#include <gtest/gtest.h>
#include <nereus/nereus.h>
#include <rapidcheck/gtest.h>

namespace nereus::strategies {
namespace {

std::string sentence_for(const std::string &text) {
    const auto bits = read_strategies(text);
    if (bits) return "accepted";
    EXPECT_EQ(bits.error().code, NEREUS_ERR_ARGUMENT);
    return bits.error().what;
}

TEST(Strategies, AWordIsTheStrategyOfThePublicEnum) {
    EXPECT_EQ(read_strategies("asynchronous").value(), unsigned{NEREUS_ASYNCHRONOUS});
    EXPECT_EQ(read_strategies("single").value(), unsigned{NEREUS_SINGLE});
    EXPECT_EQ(read_strategies("multiple").value(), unsigned{NEREUS_MULTIPLE});
    EXPECT_EQ(read_strategies("parallel").value(), unsigned{NEREUS_PARALLEL});
    EXPECT_EQ(read_strategies("join").value(), unsigned{NEREUS_JOIN});
    EXPECT_EQ(read_strategies("auto").value(), unsigned{NEREUS_AUTO});
    EXPECT_EQ(read_strategies("none").value(), 0U);
}

TEST(Strategies, WordsAreAddedInAnyOrder) {
    EXPECT_EQ(read_strategies("single+asynchronous").value(), unsigned{NEREUS_SINGLE | NEREUS_ASYNCHRONOUS});
    EXPECT_EQ(read_strategies("parallel+asynchronous+multiple").value(),
              unsigned{NEREUS_PARALLEL | NEREUS_ASYNCHRONOUS | NEREUS_MULTIPLE});
}

TEST(Strategies, WhatIsNoStrategyIsRefusedWithWhatThereIs) {
    for (const char *text : {"", "+", "Single", "single+", "+single", "single,join", " single", "none+single", "64"})
        EXPECT_NE(sentence_for(text).find("is no process strategy: allowed is auto, none, or some of asynchronous"),
                  std::string::npos)
            << text;
    EXPECT_EQ(sentence_for("join+join"), "process strategy join is there twice");
}

TEST(Strategies, StrategiesThatExcludeOneAnotherAreRefusedWithTheReason) {
    EXPECT_EQ(sentence_for("parallel+single"), "process strategies single+parallel exclude one another: with single "
                                               "rank 0 alone spawns, with parallel every process does");
    EXPECT_EQ(sentence_for("join+multiple"), "process strategies multiple+join exclude one another: with join the "
                                             "supervisor starts the processes and none is spawned");
    EXPECT_EQ(sentence_for("auto+asynchronous"),
              "process strategies asynchronous+auto exclude one another: auto chooses by itself");
}

TEST(Strategies, AListHasTheWordsInTheOrderOfTheBits) {
    EXPECT_EQ(list_of(NEREUS_JOIN | NEREUS_ASYNCHRONOUS), (std::vector<std::string>{"asynchronous", "join"}));
    EXPECT_TRUE(list_of(0).empty());
}

TEST(Strategies, ABitOfALaterVersionIsRefused) {
    constexpr unsigned later = 2 * NEREUS_AUTO;
    EXPECT_FALSE(check(later));
    EXPECT_FALSE(check(~0U));
    EXPECT_FALSE(check(later + NEREUS_SINGLE));
}

/// As the paper and the header have it, said another way than in the code.
bool go_together(unsigned bits) {
    const auto has = [&](unsigned bit) { return (bits & bit) != 0; };
    if (has(NEREUS_AUTO)) return bits == NEREUS_AUTO;
    if (has(NEREUS_JOIN)) return (bits & ~unsigned{NEREUS_ASYNCHRONOUS | NEREUS_JOIN}) == 0;
    return !has(NEREUS_SINGLE) || !has(NEREUS_PARALLEL);
}

TEST(Strategies, EveryCombinationIsAcceptedOrRefusedAsDocumentedAndReadAsItIsWritten) {
    for (unsigned bits = 0; bits < 2 * NEREUS_AUTO; ++bits) {
        EXPECT_EQ(check(bits).has_value(), go_together(bits)) << words_of(bits);
        const auto again = read_strategies(words_of(bits));
        EXPECT_EQ(again.value_or(~0U), go_together(bits) ? bits : ~0U) << words_of(bits);
    }
}

RC_GTEST_PROP(Strategies, NoTextIsReadAsSomethingThatCheckRefuses, ()) {
    const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
        "asynchronous", "single", "multiple", "parallel", "join", "auto", "none", "", "spawn"));
    std::string text;
    for (const std::string &word : words) text += (text.empty() ? "" : "+") + word;
    const auto bits = read_strategies(text);
    if (bits)
        RC_ASSERT(check(*bits).has_value());
    else
        RC_ASSERT(!bits.error().what.empty());
}

}
}
