// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a record that a killed process leaves, or the process itself where space runs out.
#include "a_record.hpp"

#include "record/totals.hpp"

#include <csignal>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace nereus::monitor {
namespace {

TEST(Arena, IsReadWhileItIsWritten) {
    const Folder folder;
    const auto record = a_record(facts(folder.file("a")));
    record->here().count(to(5), 100);
    const auto seen = Arena::open(folder.file("a"));
    ASSERT_TRUE(seen.has_value()) << seen.error().what;
    EXPECT_EQ(totals(*seen).at(to(5)).bytes, 100U);
    record->here().count(to(5), 1);
    EXPECT_EQ(totals(*seen).at(to(5)).bytes, 101U);
    EXPECT_EQ(seen->head().rank, 3);
    EXPECT_STREQ(seen->head().host.data(), "h");
}

TEST(Arena, OutlivesAProcessThatIsKilled) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        const auto record = a_record(facts(folder.file("a")));
        for (int i = 0; i < 1000; ++i) record->here().count(to(i), i);
        kill(getpid(), SIGKILL);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const auto left = Arena::open(folder.file("a"));
    ASSERT_TRUE(left.has_value()) << left.error().what;
    EXPECT_EQ(totals(*left).size(), 1000U);
    EXPECT_EQ(left->head().end.load(), static_cast<int>(End::not_yet));
}

TEST(Arena, CountsWhatItHasNoRoomFor) {
    auto arena = Arena::make("", std::size_t{1} << 20);
    ASSERT_TRUE(arena.has_value());
    const Ticker ticker(unix_now(), 3600);
    Shard shard(*arena, ticker, 1);
    constexpr int peers = 5000;
    for (int peer = 0; peer < peers; ++peer) shard.count(to(peer), 1);
    const std::size_t kept = totals(*arena).size();
    EXPECT_GT(kept, 1000U);
    EXPECT_EQ(get(arena->head().lost), peers - kept);
}

TEST(Arena, SurvivesAFileThatCannotGrow) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        const rlimit little{std::size_t{1} << 19, RLIM_INFINITY};
        setrlimit(RLIMIT_FSIZE, &little);
        signal(SIGXFSZ, SIG_IGN);
        const auto record = a_record(facts(folder.file("a")));
        for (int i = 0; i < 5000; ++i) record->here().count(to(i), 1);
        _exit(get(record->arena().head().lost) > 0 ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Arena, RefusesAFileThatIsNone) {
    const Folder folder;
    std::ofstream(folder.file("text")) << "no record";
    std::ofstream(folder.file("zeros")) << std::string(4096, '\0');
    for (const char *name : {"text", "zeros", "missing"}) {
        const auto opened = Arena::open(folder.file(name));
        ASSERT_FALSE(opened.has_value()) << name;
        EXPECT_NE(opened.error().what.find(name), std::string::npos);
    }
}

TEST(Arena, IsReadUpToWhereItWasCut) {
    const Folder folder;
    {
        const auto record = a_record(facts(folder.file("a")));
        for (int i = 0; i < 500; ++i) record->here().count(to(i), 1);
    }
    std::filesystem::resize_file(folder.file("a"), 100'000);
    const auto opened = Arena::open(folder.file("a"));
    ASSERT_TRUE(opened.has_value());
    const std::size_t read = totals(*opened).size();
    EXPECT_GT(read, 100U);
    EXPECT_LT(read, 200U);
}

TEST(Arena, DoesNotTakeTheFileOfAnother) {
    const Folder folder;
    const auto record = a_record(facts(folder.file("a")));
    EXPECT_FALSE(Arena::make(folder.file("a")).has_value());
}

}
}
