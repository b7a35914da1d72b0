// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the events before a process died, or their order; or the process itself where space runs out.
#include "a_record.hpp"

#include "record/event_ring.hpp"

#include <csignal>
#include <cstring>
#include <fstream>
#include <gmock/gmock.h>
#include <latch>
#include <set>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace nereus::monitor {
namespace {

using testing::ElementsAre;

constexpr std::size_t names_at = 512, events_at = names_at + EventRing::name_bytes * EventRing::most_names;

/// What is in the file, as a reader elsewhere sees it.
class Trace {
public:
    explicit Trace(const std::string &path) {
        std::ifstream file(path, std::ios::binary);
        bytes_.assign(std::istreambuf_iterator<char>(file), {});
    }

    const TraceHead &head() const { return *reinterpret_cast<const TraceHead *>(bytes_.data()); }
    const TraceEvent &event(std::uint64_t index) const {
        return reinterpret_cast<const TraceEvent *>(bytes_.data() + events_at)[index];
    }
    std::string name(std::uint64_t index) const {
        return bytes_.data() + names_at + EventRing::name_bytes * ((event(index).what >> 54) - 1);
    }
    std::uint64_t took(std::uint64_t index) const { return event(index).what & TraceEvent::longest; }
    std::uint64_t thread(std::uint64_t index) const { return event(index).what >> 48 & 63; }
    /// Of the events in the ring, by their places in the file.
    std::vector<std::uint64_t> sizes() const {
        std::vector<std::uint64_t> all;
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(head().recorded, head().room); ++i)
            all.push_back(event(i).bytes);
        return all;
    }

private:
    std::vector<char> bytes_;
};

std::unique_ptr<EventRing> begin(const std::string &path, std::uint64_t most = 1 << 20) {
    auto made = EventRing::begin({path, most, "w", "h", "b", 3, 8});
    EXPECT_TRUE(made.has_value()) << made.error().what;
    return std::move(*made);
}

TEST(EventRing, HasWhatHappenedInOrder) {
    const Folder folder;
    const auto ring = begin(folder.file("a"));
    ring->add({"Send", 100, 350, 8, 2, 5, 7});
    ring->add({"received", 400, 400, 9, 1, 4, -1, 33});
    const Trace seen(folder.file("a")); // while it is written
    EXPECT_EQ(seen.head().recorded, 2U);
    EXPECT_EQ(seen.head().rank, 3);
    EXPECT_EQ(seen.head().ranks, 8);
    EXPECT_STREQ(seen.head().boot.data(), "b");
    EXPECT_EQ(seen.name(0), "Send");
    EXPECT_EQ(seen.event(0).begin, 100);
    EXPECT_EQ(seen.took(0), 250U);
    EXPECT_EQ(seen.event(0).peer, 5);
    EXPECT_EQ(seen.event(0).tag, 7);
    EXPECT_EQ(seen.event(0).group, 2U);
    EXPECT_EQ(seen.name(1), "received");
    EXPECT_EQ(seen.event(1).number, 33U);
    EXPECT_EQ(seen.event(1).tag, -1);
}

TEST(EventRing, KeepsTheLastEvents) {
    const Folder folder;
    const auto ring = begin(folder.file("a"), 4);
    for (std::uint64_t i = 0; i < 6; ++i) ring->add({"Send", 0, 0, i});
    const Trace seen(folder.file("a"));
    EXPECT_EQ(seen.head().recorded, 6U);
    EXPECT_EQ(seen.head().room, 4U);
    EXPECT_THAT(seen.sizes(), ElementsAre(4, 5, 2, 3));
}

TEST(EventRing, GrowsToWhatItMayHold) {
    const Folder folder;
    constexpr std::uint64_t many = 100'000; // several steps
    const auto ring = begin(folder.file("a"), many);
    for (std::uint64_t i = 0; i < many + 1; ++i) ring->add({"Send", 0, 0, i});
    const Trace seen(folder.file("a"));
    EXPECT_EQ(seen.head().room, many);
    EXPECT_EQ(seen.event(0).bytes, many);
    EXPECT_EQ(seen.event(many - 1).bytes, many - 1);
}

TEST(EventRing, OutlivesAProcessThatIsKilled) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        const auto ring = begin(folder.file("a"));
        for (std::uint64_t i = 0; i < 1000; ++i) ring->add({"Send", 0, 0, i});
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const Trace left(folder.file("a"));
    EXPECT_EQ(left.head().is_ended, 0);
    ASSERT_EQ(left.sizes().size(), 1000U);
    EXPECT_EQ(left.sizes().back(), 999U);
}

TEST(EventRing, IsAsLongAsTheSystemHasRoomFor) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{1 << 20, 1 << 20};
        setrlimit(RLIMIT_FSIZE, &limit);
        const auto ring = begin(folder.file("a"));
        for (std::uint64_t i = 0; i < 100'000; ++i) ring->add({"Send", 0, 0, i});
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    const Trace left(folder.file("a"));
    EXPECT_EQ(left.head().recorded, 100'000U);
    EXPECT_LT(left.head().room, 100'000U);
    EXPECT_EQ(left.head().room, left.head().most);
    EXPECT_EQ(left.event(99'999 % left.head().room).bytes, 99'999U);
}

TEST(EventRing, MakesTestsInVainOneEvent) {
    const Folder folder;
    const auto ring = begin(folder.file("a"));
    for (std::int64_t i = 0; i < 5; ++i) ring->add_in_vain({"Test", 10 * i, 10 * i + 4});
    ring->add({"Send", 60, 61});
    ring->add_in_vain({"Test", 70, 71});
    const Trace seen(folder.file("a"));
    ASSERT_EQ(seen.head().recorded, 3U);
    EXPECT_EQ(seen.event(0).number, 5U);
    EXPECT_EQ(seen.event(0).begin, 0);
    EXPECT_EQ(seen.took(0), 44U);
    EXPECT_EQ(seen.event(2).number, 1U);
}

TEST(EventRing, TellsThreadsApart) {
    const Folder folder;
    const auto ring = begin(folder.file("a"));
    constexpr std::uint64_t each = 50'000;
    std::vector<std::thread> threads;
    std::latch all_have_begun(3); // the number of one that has ended is given again
    for (std::uint64_t t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < each; ++i) {
                ring->add({"Send", 0, 0, t * each + i});
                if (i == 0) all_have_begun.arrive_and_wait();
            }
        });
    for (std::thread &thread : threads) thread.join();
    const Trace seen(folder.file("a"));
    std::vector<std::uint64_t> sizes = seen.sizes();
    std::sort(sizes.begin(), sizes.end());
    ASSERT_EQ(sizes.size(), 3 * each);
    for (std::uint64_t i = 0; i < sizes.size(); ++i) ASSERT_EQ(sizes[i], i);
    std::vector<std::set<std::uint64_t>> numbers(3);
    for (std::uint64_t i = 0; i < sizes.size(); ++i) numbers[seen.event(i).bytes / each].insert(seen.thread(i));
    for (const auto &of_one : numbers) EXPECT_EQ(of_one.size(), 1U);
    EXPECT_NE(*numbers[0].begin(), *numbers[1].begin());
}

TEST(EventRing, GivesNumbersOfThreadsThatEndedAgain) {
    const Folder folder;
    const auto ring = begin(folder.file("a"));
    for (std::uint64_t i = 0; i < 200; ++i) std::thread([&] { ring->add({"Send", 0, 0, i}); }).join();
    const Trace seen(folder.file("a"));
    for (std::uint64_t i = 1; i < 200; ++i) ASSERT_EQ(seen.thread(i), seen.thread(0));
}

TEST(EventRing, LeavesNoFileWhereThereIsNoRoomForOneEvent) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{1 << 16, 1 << 16};
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(EventRing::begin({folder.file("a"), 1 << 20, "w", "h", "b", 0, 1}).has_value());
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
}

TEST(EventRing, GivesNamesBeyondItsRoomOneName) {
    const Folder folder;
    const auto ring = begin(folder.file("a"));
    std::vector<std::string> names;
    for (int i = 0; i < 1100; ++i) names.push_back("call" + std::to_string(i));
    for (const std::string &name : names) ring->add({name.c_str(), 0, 0});
    for (const std::string &name : names) ring->add({name.c_str(), 0, 0});
    const Trace seen(folder.file("a"));
    EXPECT_EQ(seen.name(0), "call0");
    EXPECT_EQ(seen.name(1000), "call1000");
    EXPECT_EQ(seen.name(1099), "other");
    EXPECT_EQ(seen.name(1100), "call0");
    EXPECT_EQ(seen.name(2199), "other");
}

TEST(EventRing, RefusesAPathWhereSomethingIs) {
    const Folder folder;
    std::ofstream(folder.file("a")) << "mine";
    const auto made = EventRing::begin({folder.file("a"), 10, "w", "h", "b", 0, 1});
    ASSERT_FALSE(made.has_value());
    EXPECT_THAT(made.error().what, testing::HasSubstr("File exists"));
}

}
}
