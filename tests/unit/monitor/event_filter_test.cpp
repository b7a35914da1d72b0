// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: calls that were asked for, or the receive of a message.
#include "record/event_filter.hpp"
#include "record/unrecorded_messages.hpp"

#include <array>
#include <gtest/gtest.h>

namespace nereus::monitor {
namespace {

constexpr std::array<const char *, 2> message_calls{"Send", "Recv"};

bool takes(const EventFilter &filter, const char *call, std::uint64_t bytes = 0) {
    CallShape shape;
    shape.call = call;
    shape.bytes = bytes;
    return filter.takes(shape);
}

TEST(EventFilter, TakesAllWhereNothingIsLimited) {
    const EventFilter filter({}, message_calls);
    EXPECT_TRUE(takes(filter, "Send", 1));
    EXPECT_TRUE(takes(filter, "Barrier"));
    EXPECT_TRUE(filter.takes_message(0));
    EXPECT_TRUE(filter.follows_messages());
}

TEST(EventFilter, LeavesOutSmallMessagesAndNoWaits) {
    const EventFilter filter({{}, 100}, message_calls);
    EXPECT_FALSE(takes(filter, "Send", 99));
    EXPECT_TRUE(takes(filter, "Send", 100));
    EXPECT_TRUE(takes(filter, "Wait")) << "in which a large message may arrive";
    EXPECT_FALSE(filter.takes_message(99));
    EXPECT_FALSE(filter.takes_message(0));
    EXPECT_TRUE(filter.follows_messages());
}

TEST(EventFilter, FollowsMessagesWhereAllTheirCallsAreTaken) {
    EXPECT_FALSE(EventFilter({{"Send"}, 0}, message_calls).follows_messages());
    EXPECT_TRUE(EventFilter({{"Send", "Recv", "Barrier"}, 0}, message_calls).follows_messages());
}

TEST(EventFilter, TakesCallsByNameWhereverTheirTextLies) {
    const EventFilter filter({{"Send"}, 0}, message_calls);
    const std::array<char, 5> elsewhere{"Send"};
    for (int round = 0; round < 2; ++round) {
        EXPECT_TRUE(takes(filter, elsewhere.data()));
        EXPECT_FALSE(takes(filter, "Recv"));
    }
}

using Added = UnrecordedMessages::Added;

TEST(UnrecordedMessages, AreCountedByCommunicatorPeerAndTagUntilTheyAreTaken) {
    UnrecordedMessages messages(10);
    EXPECT_EQ(messages.add({false, 1, 2, 3}, 7), Added::counted);
    EXPECT_EQ(messages.add({false, 1, 2, 3}, 5), Added::counted);
    EXPECT_EQ(messages.add({false, 1, 2, 4}, 6), Added::counted);
    EXPECT_EQ(messages.add({true, 1, 2, 3}, 0), Added::counted);
    const UnrecordedMessages::Counts counts = messages.take();
    ASSERT_EQ(counts.size(), 3U);
    const auto received = counts.at({false, 1, 2, 3});
    EXPECT_EQ(received.messages, 2U);
    EXPECT_EQ(received.first, 5U);
    EXPECT_EQ(received.last, 7U);
    EXPECT_TRUE(messages.take().empty());
}

TEST(UnrecordedMessages, AreGivenUpWhereThereAreTooManyKindsAndThatIsSaidOnce) {
    UnrecordedMessages messages(100);
    for (std::int32_t tag = 0; tag < 100; ++tag) ASSERT_EQ(messages.add({true, 1, 2, tag}, 0), Added::counted);
    EXPECT_EQ(messages.add({true, 1, 3, 0}, 0), Added::no_more);
    EXPECT_EQ(messages.add({true, 1, 2, 0}, 0), Added::none);
    EXPECT_TRUE(messages.take().empty()) << "a ring is not filled with what helps nobody";
    EXPECT_EQ(messages.add({true, 1, 2, 0}, 0), Added::none);
}

}
}
