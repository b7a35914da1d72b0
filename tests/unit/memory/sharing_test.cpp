// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <cerrno>
#include <sys/prctl.h>
#include <sys/stat.h>

namespace nereus::memory {
namespace {

class Sharing : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, Sharing, testing::Values(Kind::anonymous, Kind::named), [](const auto &kind) {
    return std::string(kind.param == Kind::named ? "named" : "anonymous");
});

TEST_P(Sharing, EachProcessSeesWhatTheOtherWrote) {
    const Segment segment = segment_of(10 * page + 3, GetParam());
    write(segment, 5 * page - 2, "here");
    const Handle handle = segment.handle();
    EXPECT_TRUE(in_another_process([&] {
        const auto other = Segment::open(handle);
        if (!other || text_at(*other, 5 * page - 2, 4) != "here") return false;
        write(*other, 10 * page, "end");
        return true;
    }));
    EXPECT_EQ(text_at(segment, 10 * page, 3), "end");
}

TEST_P(Sharing, ASurvivorKeepsItsAddressesAndBytesWhenOthersComeAndGo) {
    Segment segment = segment_of(64 * page, GetParam());
    std::byte *const mine = segment.at(8 * page);
    write(segment, 8 * page, "survivor");
    for (int newcomer = 0; newcomer < 3; ++newcomer) {
        const Handle handle = segment.handle();
        EXPECT_TRUE(in_another_process([&] {
            auto other = Segment::open(handle);
            if (!other) return false;
            write(*other, 32 * page, "newcomer");
            return other->give_back(9 * page, 32 * page).has_value();
        }));
        segment = Segment(std::move(segment)); // as a registry moves its entries
        EXPECT_EQ(segment.at(8 * page), mine);
        EXPECT_EQ(text_at(segment, 8 * page, 8), "survivor");
        EXPECT_EQ(text_at(segment, 32 * page, 8), "newcomer");
    }
}

TEST_P(Sharing, TheBytesOutliveTheirCreator) {
    Creator creator(4 * page, GetParam(), "kept");
    auto segment = Segment::open(creator.handle());
    ASSERT_TRUE(segment) << segment.error().what;
    creator.end_by_force();
    EXPECT_EQ(text_at(*segment, 0, 4), "kept");
    const Handle passed_on = segment->handle();
    EXPECT_TRUE(in_another_process([&] {
        const auto later = Segment::open(passed_on);
        return later && text_at(*later, 0, 4) == "kept";
    }));
    segment->remove_name();
}

TEST_P(Sharing, TwoPartsThatShareAPageDoNotDisturbOneAnother) {
    constexpr int rounds = 20000;
    const std::int64_t cut = page / 2 + 1;
    Segment segment = segment_of(2 * page, GetParam());
    const Handle handle = segment.handle();
    const auto counts_up_to = [&](std::byte *last) {
        for (int round = 0; round < rounds; ++round) *last = static_cast<std::byte>(round);
        return *last == static_cast<std::byte>(rounds - 1);
    };
    EXPECT_TRUE(in_another_process([&] {
        const pid_t left = fork(); // writes the byte before the cut while its parent writes the one behind
        const auto own = Segment::open(handle);
        if (!own) return false;
        const bool right = counts_up_to(own->at(left == 0 ? cut - 1 : cut));
        if (left == 0) _exit(right ? 0 : 1);
        int status = 1;
        return waitpid(left, &status, 0) == left && status == 0 && right;
    }));
    EXPECT_EQ(*segment.at(cut - 1), static_cast<std::byte>(rounds - 1));
    EXPECT_EQ(*segment.at(cut), static_cast<std::byte>(rounds - 1));
    ASSERT_TRUE(segment.give_back(0, cut)); // no page is wholly inside
    EXPECT_EQ(*segment.at(cut - 1), static_cast<std::byte>(rounds - 1));
    EXPECT_EQ(*segment.at(cut), static_cast<std::byte>(rounds - 1));
}

TEST(Anonymous, NothingIsLeftWhenItsCreatorIsKilled) {
    Creator creator(4 * page, Kind::anonymous, "gone");
    const std::string file =
        "/proc/" + std::to_string(creator.handle().pid) + "/fd/" + std::to_string(creator.handle().descriptor);
    struct stat is{};
    ASSERT_EQ(stat(file.c_str(), &is), 0);
    EXPECT_EQ(is.st_nlink, 0U); // no name in any folder
    creator.end_by_force();
    EXPECT_NE(stat(file.c_str(), &is), 0);
}

TEST(Anonymous, TheHandleOfAProcessThatHasEndedIsRefused) {
    Creator creator(page, Kind::anonymous, "");
    creator.end_by_force();
    const auto refused = Segment::open(creator.handle());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, NEREUS_ERR_MEMORY);
    EXPECT_EQ(refused.error().what, "the shared memory of \"x\" cannot be opened: /proc/" +
                                        std::to_string(creator.handle().pid) + "/fd/" +
                                        std::to_string(creator.handle().descriptor) + ": No such file or directory");
}

TEST(Anonymous, AnotherFileInThePlaceOfTheOneIsRefused) {
    const Segment one = segment_of(page), longer = segment_of(2 * page), other = segment_of(page);
    Handle handle = one.handle();
    handle.descriptor = other.handle().descriptor;
    EXPECT_NE(refusal_of(Segment::open(handle)).find("another file by now: its inode is "), std::string::npos);
    handle = one.handle();
    handle.bytes = 2 * page;
    EXPECT_NE(refusal_of(Segment::open(handle)).find("its length is " + std::to_string(page) + " and should be"),
              std::string::npos);
    int ends[2] = {-1, -1};
    ASSERT_EQ(pipe(ends), 0);
    handle = one.handle();
    handle.descriptor = ends[0];
    EXPECT_NE(refusal_of(Segment::open(handle)).find("another file by now: its device is "), std::string::npos);
    close(ends[0]);
    close(ends[1]);
}

TEST(Anonymous, NoProcessCanCutTheFileUnderAnother) {
    const Segment segment = segment_of(4 * page);
    write(segment, 3 * page, "x");
    const int file = segment.handle().descriptor;
    EXPECT_NE(ftruncate(file, page), 0);
    EXPECT_EQ(errno, EPERM);
    EXPECT_NE(ftruncate(file, 8 * page), 0);
    EXPECT_EQ(text_at(segment, 3 * page, 1), "x");
}

TEST(Anonymous, AProcessThatOthersMayNotLookIntoSaysSo) {
    const Segment segment = segment_of(page);
    EXPECT_TRUE(segment.can_be_opened_by_others());
    EXPECT_TRUE(in_another_process([] {
        const Segment own = segment_of(page);
        return own.can_be_opened_by_others() && prctl(PR_SET_DUMPABLE, 0) == 0 && !own.can_be_opened_by_others();
    }));
}

}
}
