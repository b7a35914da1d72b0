// SPDX-License-Identifier: BSD-3-Clause
#include "memory/block.hpp"

#include <algorithm>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <vector>

namespace nereus::memory {
namespace {

using Block = std::unique_ptr<std::byte, void (*)(void *)>;

Block take(std::size_t bytes) { return {static_cast<std::byte *>(take_block(bytes)), give_back_block}; }

Block take_like(const std::byte *place, std::size_t at, std::size_t bytes) {
    return {static_cast<std::byte *>(take_block_like(place, at, bytes)), give_back_block};
}

/// What byte number i of a test's data is.
const std::byte *pattern() {
    static const auto bytes = [] {
        std::vector<std::byte> all(std::size_t{64} << 20);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>((i * 2654435761U) >> 13U);
        return all;
    }();
    return bytes.data();
}

void fill(std::byte *bytes, std::size_t first, std::size_t count) { std::copy_n(pattern() + first, count, bytes); }

bool holds(const std::byte *bytes, std::size_t first, std::size_t count) {
    return std::equal(bytes, bytes + count, pattern() + first);
}

bool is_all(const std::byte *bytes, std::size_t count, std::byte value) {
    return std::all_of(bytes, bytes + count, [=](std::byte one) { return one == value; });
}

long faults() {
    rusage use{};
    getrusage(RUSAGE_SELF, &use);
    return use.ru_minflt;
}

RC_GTEST_PROP(Block, what_a_process_keeps_is_the_same_in_its_new_block, ()) {
    const auto old_bytes = *rc::gen::inRange<std::size_t>(1, std::size_t{6} << 20);
    const auto from = *rc::gen::inRange<std::size_t>(0, old_bytes);
    const auto count = *rc::gen::inRange<std::size_t>(0, old_bytes - from + 1);
    const auto before = *rc::gen::inRange<std::size_t>(0, std::size_t{3} << 20);
    const auto after = *rc::gen::inRange<std::size_t>(0, std::size_t{3} << 20);
    const Block old = take(old_bytes);
    fill(old.get(), 0, old_bytes);
    const Block next = take_like(old.get() + from, before, before + count + after);
    std::fill_n(next.get(), before, std::byte{7});
    std::fill_n(next.get() + before + count, after, std::byte{9});
    hand_over(old.get() + from, next.get() + before, count);
    RC_ASSERT(holds(next.get() + before, from, count));
    RC_ASSERT(is_all(next.get(), before, std::byte{7}));
    RC_ASSERT(is_all(next.get() + before + count, after, std::byte{9}));
}

TEST(Block, a_part_goes_through_many_resizes_in_pages_of_many_mappings) {
    constexpr std::size_t step = (std::size_t{1} << 20) + 4096;
    std::size_t bytes = 8 * step;
    Block part = take(bytes);
    fill(part.get(), 0, bytes);
    for (int round = 0; round < 20; ++round) {
        // It grows by a step at its end, whose pages are new ones, and then loses one at its beginning.
        Block longer = take_like(part.get(), 0, bytes + step);
        hand_over(part.get(), longer.get(), bytes);
        const std::size_t first = static_cast<std::size_t>(round) * step;
        fill(longer.get() + bytes, first + bytes, step);
        part = take_like(longer.get() + step, 0, bytes);
        hand_over(longer.get() + step, part.get(), bytes);
        ASSERT_TRUE(holds(part.get(), first + step, bytes)) << "round " << round;
    }
}

TEST(Block, pages_that_stay_are_not_touched_anew) {
    constexpr std::size_t bytes = std::size_t{64} << 20;
    const Block old = take(bytes);
    fill(old.get(), 0, bytes);
    const Block next = take_like(old.get() + bytes / 4, 0, bytes / 2);
    const long before = faults();
    hand_over(old.get() + bytes / 4, next.get(), bytes / 2);
    EXPECT_LT(faults() - before, 16);
    EXPECT_TRUE(holds(next.get(), bytes / 4, bytes / 2));
}

TEST(Block, more_than_there_can_be_is_refused) {
    EXPECT_EQ(take_block(SIZE_MAX), nullptr);
    EXPECT_EQ(take_block(PTRDIFF_MAX), nullptr);
    EXPECT_NE(take(0).get(), nullptr);
}

}
}
