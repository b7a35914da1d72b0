// SPDX-License-Identifier: BSD-3-Clause
#include "memory/room.hpp"

#include "processes.hpp"

#include <filesystem>
#include <fstream>

namespace nereus::memory {
namespace {

constexpr std::int64_t gigabyte = std::int64_t{1} << 30;

/// A folder with the files of a host that has 8 GiB of memory and 1 GiB of swap.
class Room : public testing::Test {
protected:
    Room() { put("/proc/meminfo", "MemTotal:        8388608 kB\nMemFree: 1 kB\nSwapTotal:       1048576 kB\n"); }
    ~Room() override { std::filesystem::remove_all(root_); }

    void put(const std::string &path, const std::string &text) {
        std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
        std::ofstream(root_ + path) << text;
    }
    std::int64_t most() const { return most_memory(root_); }

    const std::string root_ =
        (std::filesystem::temp_directory_path() / ("nereus-room-" + std::to_string(getpid()))).string();
};

TEST_F(Room, WithoutGroupsItIsMemoryAndSwap) { EXPECT_EQ(most(), 9 * gigabyte); }

TEST_F(Room, AGroupAroundThatOfTheJobLimitsItToo) {
    put("/proc/self/cgroup", "0::/slurm/job_7/step\n");
    put("/sys/fs/cgroup/slurm/job_7/step/memory.max", "max\n");
    put("/sys/fs/cgroup/slurm/job_7/memory.max", "2147483648\n");
    put("/sys/fs/cgroup/slurm/memory.max", "4294967296\n");
    EXPECT_EQ(most(), 3 * gigabyte);
}

TEST_F(Room, GroupsOfTheFirstVersionLimitItToo) {
    put("/proc/self/cgroup", "5:cpu,cpuacct:/a\n4:memory,hugetlb:/docker/7\n0::/\n");
    put("/sys/fs/cgroup/memory/docker/7/memory.limit_in_bytes", "1073741824\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    put("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1\n");
    EXPECT_EQ(most(), 2 * gigabyte);
}

TEST_F(Room, AContainerThatDoesNotSeeItsOwnGroupIsLimitedByTheRootThatItSees) {
    put("/proc/self/cgroup", "4:memory:/docker/7\n");
    put("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
    EXPECT_EQ(most(), 2 * gigabyte);
}

TEST_F(Room, AHostThatSaysNothingLimitsNothing) {
    std::filesystem::remove_all(root_);
    EXPECT_EQ(most(), INT64_MAX);
}

TEST_F(Room, WhatCanNeverBeHadIsRefusedWithBothNumbers) {
    EXPECT_TRUE(check_memory("\"x\"", 9 * gigabyte, root_));
    const auto refused = check_memory("\"x\"", 9 * gigabyte + 1, root_);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, NEREUS_ERR_MEMORY);
    EXPECT_NE(refused.error().what.find("\"x\" needs 9663676417 B on this host"), std::string::npos);
    EXPECT_NE(refused.error().what.find("9663676416 B"), std::string::npos);
}

TEST(RoomOfThisHost, APartThatDoesNotFitIsRefusedBeforeItIsTouched) {
    const Segment segment = segment_of(std::int64_t{1} << 46);
    EXPECT_TRUE(segment.check_room(page));
    EXPECT_EQ(refusal_of(segment.check_room(std::int64_t{1} << 46)).rfind("-6: ", 0), 0U);
}

}
}
