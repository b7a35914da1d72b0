// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <algorithm>
#include <rapidcheck/gtest.h>

namespace nereus::memory {
namespace {

constexpr std::int64_t most_pages = 12;

/// A byte that is not 0 and differs from its neighbours and from the same place of the next page.
std::byte expected_at(std::int64_t offset) { return static_cast<std::byte>(offset % 251 + 1); }

void fill(const Segment &segment) {
    for (std::int64_t i = 0; i < segment.bytes(); ++i) *segment.at(i) = expected_at(i);
}

/// An offset 0 .. bytes; those beside the borders of pages stand out, since rounding goes wrong there.
std::int64_t any_offset(std::int64_t bytes) {
    const auto near_border = rc::gen::map(
        rc::gen::pair(rc::gen::inRange<std::int64_t>(0, most_pages + 1), rc::gen::inRange(-1, 2)),
        [=](const auto &place) { return std::clamp(place.first * page + place.second, std::int64_t{0}, bytes); });
    return *rc::gen::oneOf(near_border, rc::gen::inRange<std::int64_t>(0, bytes + 1), rc::gen::just(bytes));
}

/// Whether every byte of page `number` that belongs to the array lies in [first, end).
bool is_inside(std::int64_t number, std::int64_t bytes, std::int64_t first, std::int64_t end) {
    return first <= number * page && std::min((number + 1) * page, bytes) <= end;
}

bool holds(const Segment &segment, std::int64_t number, bool data) {
    const std::int64_t end = std::min((number + 1) * page, segment.bytes());
    for (std::int64_t i = number * page; i < end; ++i)
        if (*segment.at(i) != (data ? expected_at(i) : std::byte{0})) return false;
    return true;
}

RC_GTEST_PROP(GiveBack, PagesInsideAreGivenBackAndAllOtherBytesStay, ()) {
    const auto bytes = *rc::gen::inRange<std::int64_t>(1, most_pages * page + 1);
    const auto one = any_offset(bytes), other = any_offset(bytes);
    const auto first = std::min(one, other), end = std::max(one, other);
    Segment segment = segment_of(bytes, *rc::gen::element(Kind::anonymous, Kind::named));
    fill(segment);
    RC_ASSERT(segment.give_back(first, end).has_value());
    const std::int64_t pages = file_length(bytes) / page;
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < pages; ++i) inside += is_inside(i, bytes, first, end) ? 1 : 0;
    RC_ASSERT(segment.resident_bytes() == (pages - inside) * page); // before reading makes pages of zeros
    for (std::int64_t i = 0; i < pages; ++i) RC_ASSERT(holds(segment, i, !is_inside(i, bytes, first, end)));
}

TEST(GiveBack, MemoryOfAPartThatLeftTheHostCanBeUsedByOthers) {
    Segment segment = segment_of(1024 * page);
    fill(segment);
    EXPECT_EQ(segment.resident_bytes(), 1024 * page);
    ASSERT_TRUE(segment.give_back(256 * page, 768 * page));
    EXPECT_EQ(segment.resident_bytes(), 512 * page);
    EXPECT_EQ(*segment.at(256 * page - 1), expected_at(256 * page - 1));
    EXPECT_EQ(*segment.at(768 * page), expected_at(768 * page));
}

TEST(GiveBack, APartThatComesBackToTheHostCanBeWrittenAnew) {
    Segment segment = segment_of(4 * page);
    fill(segment);
    ASSERT_TRUE(segment.give_back(0, 4 * page));
    EXPECT_EQ(segment.resident_bytes(), 0);
    const Handle handle = segment.handle();
    EXPECT_TRUE(in_another_process([&] {
        const auto other = Segment::open(handle);
        if (other) write(*other, page, "again");
        return other.has_value();
    }));
    EXPECT_EQ(text_at(segment, page, 5), "again");
}

}
}
