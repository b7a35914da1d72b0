// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <sys/resource.h>

namespace nereus::memory {
namespace {

/// What create() says in a process that has `limit` of a resource.
bool says_with_limit(int resource, rlim_t limit, const std::string &expected) {
    return in_another_process([&] {
        const rlimit both{limit, limit};
        if (setrlimit(static_cast<__rlimit_resource>(resource), &both) != 0) return false;
        const auto refused = Segment::create({"pressure", 1 << 20, Kind::anonymous, ""});
        return !refused && refused.error().code == NEREUS_ERR_MEMORY && refused.error().what == expected;
    });
}

TEST(Segment, AnyLengthCanBeUsedToItsLastByte) {
    for (const std::int64_t bytes : {std::int64_t{1}, page - 1, page, page + 1, 7 * page + 13}) {
        const Segment segment = segment_of(bytes);
        EXPECT_EQ(segment.bytes(), bytes);
        for (std::int64_t i = 0; i < bytes; ++i) ASSERT_EQ(*segment.at(i), std::byte{0});
        *segment.at(bytes - 1) = std::byte{7};
        const auto other = Segment::open(segment.handle());
        ASSERT_TRUE(other) << other.error().what;
        EXPECT_EQ(*other->at(bytes - 1), std::byte{7});
        EXPECT_EQ(other->bytes(), bytes);
    }
}

TEST(Segment, AnArrayWithoutElementsIsNoSpecialCase) {
    Segment segment = segment_of(0);
    EXPECT_NE(segment.at(0), nullptr);
    EXPECT_TRUE(Segment::open(segment.handle()));
    EXPECT_TRUE(segment.touch(0, 0));
    EXPECT_TRUE(segment.give_back(0, 0));
    EXPECT_EQ(segment.resident_bytes(), 0);
}

TEST(Segment, AnArrayLargerThanTheHostsMemoryTakesOnlyWhatIsTouched) {
    constexpr std::int64_t bytes = std::int64_t{1} << 40;
    const Segment segment = segment_of(bytes);
    EXPECT_EQ(segment.resident_bytes(), 0);
    write(segment, 0, "first");
    write(segment, bytes - 4, "last");
    const auto other = Segment::open(segment.handle());
    ASSERT_TRUE(other) << other.error().what;
    EXPECT_EQ(text_at(*other, 0, 5), "first");
    EXPECT_EQ(text_at(*other, bytes - 4, 4), "last");
    EXPECT_EQ(segment.resident_bytes(), 2 * page);
}

TEST(Segment, ALengthThatNoProcessCanHaveIsRefused) {
    for (const std::int64_t bytes : {std::int64_t{-1}, longest_array, longest_array + 1, INT64_MAX}) {
        const auto refused = Segment::create({"pressure", bytes, Kind::anonymous, ""});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, NEREUS_ERR_MEMORY);
        EXPECT_NE(refused.error().what.find(std::to_string(bytes)), std::string::npos) << refused.error().what;
        EXPECT_NE(refused.error().what.find("\"pressure\""), std::string::npos) << refused.error().what;
    }
}

TEST(Segment, ALimitOfFileSizesIsSaidAndDoesNotEndTheProcess) {
    EXPECT_TRUE(says_with_limit(RLIMIT_FSIZE, 4096,
                                "no shared memory of 1048576 B for \"pressure\": the limit of file sizes is below "
                                "that (ulimit -f)"));
}

TEST(Segment, ALimitOfDescriptorsIsSaid) {
    EXPECT_TRUE(says_with_limit(RLIMIT_NOFILE, 0,
                                "no shared memory of 1048576 B for \"pressure\": memfd_create: Too many open files"));
}

TEST(Segment, ALimitOfAddressesIsSaid) {
    EXPECT_TRUE(says_with_limit(RLIMIT_AS, 1 << 20,
                                "no addresses for the 1048576 B of \"pressure\": mmap: Cannot allocate memory"));
}

TEST(Segment, ANameOfAnyLengthAndLettersCanBeThatOfAnArray) {
    const auto segment = Segment::create({std::string(4000, '/') + "\n", page, Kind::anonymous, ""});
    ASSERT_TRUE(segment) << segment.error().what;
    EXPECT_TRUE(Segment::open(segment->handle()));
}

TEST(Segment, AMovedOneLeavesNothingThatCouldCloseIt) {
    Segment first = segment_of(page);
    write(first, 0, "stays");
    Segment second = std::move(first);
    first = segment_of(page);
    {
        const Segment gone = std::move(first);
    }
    EXPECT_EQ(text_at(second, 0, 5), "stays");
    EXPECT_TRUE(Segment::open(second.handle()));
}

TEST(Segment, ManyOfThemLeaveNoDescriptorOpen) {
    const int before = segment_of(page).handle().descriptor;
    for (int i = 0; i < 2000; ++i) {
        const Segment segment = segment_of(page);
        ASSERT_TRUE(Segment::open(segment.handle()));
    }
    EXPECT_EQ(segment_of(page).handle().descriptor, before);
}

}
}
