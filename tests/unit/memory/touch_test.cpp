// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <sys/resource.h>

namespace nereus::memory {
namespace {

std::int64_t faults_until_now() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

/// Faults of this process in writing one byte of each page.
std::int64_t faults_in_writing(const Segment &segment, std::byte value) {
    const auto before = faults_until_now();
    for (std::int64_t i = 0; i < segment.bytes(); i += page) *segment.at(i) = value;
    return faults_until_now() - before;
}

bool all_pages_begin_with(const Segment &segment, std::byte value) {
    for (std::int64_t i = 0; i < segment.bytes(); i += page)
        if (*segment.at(i) != value) return false;
    return true;
}

TEST(Touch, FindsThePagesThatOthersMadeSoThatTheFirstIterationHasNoFaults) {
    constexpr std::int64_t pages = 512;
    const Segment segment = segment_of(pages * page);
    for (std::int64_t i = 0; i < pages; ++i) write(segment, i * page, "data");
    const Handle handle = segment.handle();
    EXPECT_TRUE(in_another_process([&] {
        auto other = Segment::open(handle);
        if (!other || !other->touch(1, pages * page - 1)) return false;
        const auto before = faults_until_now();
        for (std::int64_t i = 0; i < pages; ++i) *other->at(i * page + 4) = std::byte{'!'};
        return faults_until_now() - before < pages / 16;
    }));
    for (std::int64_t i = 0; i < pages; ++i) EXPECT_EQ(text_at(segment, i * page, 5), "data!");
    EXPECT_EQ(segment.resident_bytes(), pages * page);
}

TEST(Touch, BytesOutsideOfTheArrayAreRefused) {
    Segment segment = segment_of(page + 1);
    for (const auto &[first, end] : {std::pair<std::int64_t, std::int64_t>{-1, 1}, {2, 1}, {0, page + 2}}) {
        EXPECT_EQ(refusal_of(segment.touch(first, end)).rfind("-1: bytes ", 0), 0U);
        EXPECT_EQ(refusal_of(segment.give_back(first, end)).rfind("-1: bytes ", 0), 0U);
    }
}

TEST(Touch, MakesTheMemoryOfNewPagesThereToo) {
    Segment segment = segment_of(20 * page);
    ASSERT_TRUE(segment.touch(page + 1, 4 * page + 1));
    EXPECT_EQ(segment.resident_bytes(), 4 * page);
}

class TouchNew : public testing::TestWithParam<Pages> {};
INSTANTIATE_TEST_SUITE_P(Pages, TouchNew, testing::Values(Pages::small, Pages::huge),
                         [](const auto &pages) { return std::string(pages.param == Pages::huge ? "huge" : "small"); });

TEST_P(TouchNew, LeavesNoFaultToTheFirstIterationOnNewPagesEither) {
    Segment segment = segment_of(16 * huge_page + 3 * page + 1);
    ASSERT_TRUE(segment.touch(0, segment.bytes(), GetParam()));
    EXPECT_TRUE(all_pages_begin_with(segment, std::byte{0}));
    EXPECT_LT(faults_in_writing(segment, std::byte{5}), 64);
    EXPECT_EQ(segment.resident_bytes(), 16 * huge_page + 4 * page);
    const Handle handle = segment.handle();
    EXPECT_TRUE(in_another_process([&] {
        const auto other = Segment::open(handle);
        return other && all_pages_begin_with(*other, std::byte{5});
    }));
}

// What a user would lose: bytes that another process writes while the kernel makes huge pages around them.
TEST_P(TouchNew, ChangesNoByteThatAnotherProcessWritesMeanwhile) {
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
        Segment segment = segment_of(8 * huge_page);
        const Handle handle = segment.handle();
        const pid_t writer = fork();
        if (writer == 0) {
            const auto own = Segment::open(handle);
            if (own) faults_in_writing(*own, std::byte{9});
            _exit(own && all_pages_begin_with(*own, std::byte{9}) ? 0 : 1);
        }
        EXPECT_TRUE(segment.touch(0, segment.bytes(), GetParam()));
        int status = 1;
        waitpid(writer, &status, 0);
        EXPECT_EQ(status, 0);
        ASSERT_TRUE(all_pages_begin_with(segment, std::byte{9}));
    }
}

TEST_P(TouchNew, PagesThatWereTouchedCanBeGivenBackOneByOne) {
    Segment segment = segment_of(4 * huge_page);
    ASSERT_TRUE(segment.touch(0, segment.bytes(), GetParam()));
    faults_in_writing(segment, std::byte{3});
    ASSERT_TRUE(segment.give_back(huge_page / 2 + 1, 3 * huge_page - page));
    const std::int64_t first = huge_page / 2 + page, end = 3 * huge_page - page;
    EXPECT_EQ(segment.resident_bytes(), 4 * huge_page - (end - first));
    for (std::int64_t i = 0; i < segment.bytes(); i += page)
        ASSERT_EQ(*segment.at(i), first <= i && i < end ? std::byte{0} : std::byte{3}) << i / page;
}

TEST_P(TouchNew, MakesNoMoreMemoryThanTheRangeNeeds) {
    Segment segment = segment_of(8 * huge_page);
    ASSERT_TRUE(segment.touch(huge_page - page, 3 * huge_page + 1, GetParam()));
    EXPECT_EQ(segment.resident_bytes(), 2 * huge_page + 2 * page);
}

TEST(Touch, AnArrayOfHugePagesIsFoundWithAHundredthOfTheFaults) {
    Segment segment = segment_of(16 * huge_page);
    const auto before = faults_until_now();
    ASSERT_TRUE(segment.touch(0, segment.bytes(), Pages::huge));
    if (faults_until_now() - before > segment.bytes() / page / 2) GTEST_SKIP() << "this kernel makes no huge pages";
    const Handle handle = segment.handle();
    EXPECT_TRUE(in_another_process([&] {
        const auto other = Segment::open(handle);
        return other && faults_in_writing(*other, std::byte{1}) < segment.bytes() / page / 100;
    }));
}

}
}
