// SPDX-License-Identifier: BSD-3-Clause
#include "base/methods.hpp"
#include "transfer/method.hpp"

#include <climits>
#include <gtest/gtest.h>

using namespace nereus;

TEST(Methods, HaveNumbersAndWordsInBothDirections) {
    for (const auto &kind : {words::process_methods, words::transfer_methods, words::transfer_strategies,
                             words::survivors, words::placements, words::release_units, words::memories})
        for (int number = 0; number < std::ssize(kind); ++number)
            EXPECT_EQ(number_of(kind, word_of(kind, number)), number);
    EXPECT_EQ(number_of(words::transfer_methods, "rma-lock"), NEREUS_RMA_LOCK);
    EXPECT_EQ(number_of(words::transfer_methods, "RMA-lock"), std::nullopt);
    EXPECT_EQ(number_of(words::transfer_methods, ""), std::nullopt);
}

TEST(Methods, OfNoNumberAreUnknownAndNotOneSided) {
    for (const int number : {-1, NEREUS_TRANSFER_AUTO + 1, INT_MIN, INT_MAX}) {
        EXPECT_EQ(word_of(words::transfer_methods, number), "unknown");
        EXPECT_FALSE(is_one_sided(number));
        EXPECT_TRUE(check_transfer(NEREUS_BASELINE_INTER, number, NEREUS_NONBLOCKING));
    }
}

TEST(Methods, AreListedAsUsersMayWriteThem) {
    EXPECT_EQ(allowed_of(words::survivors), "auto, first, least-movement");
    EXPECT_EQ(allowed_of(words::placements), "compact, spread, measured");
}

TEST(Methods, OfTransfersHaveAFileThatRegistersThem) {
    for (int method = 0; method < NEREUS_TRANSFER_AUTO; ++method)
        EXPECT_NE(transfer::registered_method(static_cast<transfer::Method>(method)), nullptr) << method;
}

TEST(Transfers, ThatAreOneSidedNeedAWindowAndDrainsThatSayWhenTheyHaveRead) {
    for (const int process : {NEREUS_MERGE, NEREUS_BASELINE_INTER, NEREUS_BASELINE_INTRA})
        for (int method = NEREUS_P2P; method <= NEREUS_TRANSFER_AUTO; ++method)
            for (int strategy = NEREUS_BLOCKING; strategy <= NEREUS_STRATEGY_AUTO; ++strategy) {
                const bool one_sided = method == NEREUS_RMA_LOCK || method == NEREUS_RMA_LOCKALL;
                const bool refused = one_sided && (process == NEREUS_BASELINE_INTER || strategy == NEREUS_NONBLOCKING);
                EXPECT_EQ(check_transfer(process, method, strategy).has_value(), !refused);
            }
}

TEST(Transfers, ThatNoMpiHasAreRefusedWithWhatItHas) {
    const auto nonblocking = check_transfer(NEREUS_MERGE, NEREUS_RMA_LOCK, NEREUS_NONBLOCKING);
    EXPECT_EQ(nonblocking.error().code, NEREUS_ERR_UNSUPPORTED);
    EXPECT_EQ(nonblocking.error().what, "rma-lock does not go with nonblocking: drains read from the sources, which "
                                        "cannot know when they have been read; take blocking, wait-drains or thread");
    const auto inter = check_transfer(NEREUS_BASELINE_INTER, NEREUS_RMA_LOCKALL, NEREUS_BLOCKING);
    EXPECT_EQ(inter.error().what, "rma-lockall does not go with baseline-inter: there is no window over an "
                                  "inter-communicator; take merge or baseline-intra");
}
