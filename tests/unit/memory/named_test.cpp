// SPDX-License-Identifier: BSD-3-Clause
#include "processes.hpp"

#include <fcntl.h>
#include <filesystem>
#include <sys/mount.h>
#include <sys/stat.h>

namespace nereus::memory {
namespace {

constexpr int not_allowed = 77;

/// Runs `task` in a process with namespaces of its own; 0: it said yes, not_allowed: no such namespaces here.
int with_namespaces(int which, const std::function<bool()> &task) {
    const pid_t child = fork();
    if (child == 0) {
        if (unshare(which) != 0 && unshare(CLONE_NEWUSER | which) != 0) _exit(not_allowed);
        _exit(in_another_process(task) ? 0 : 1); // only a child is in a new namespace of processes
    }
    int status = 1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/// Puts a file system of `bytes` in the place of the folder of named files, for this process alone.
bool has_small_folder(std::int64_t bytes) {
    const std::string size = "size=" + std::to_string(bytes);
    return mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("small", folder_of_named_files, "tmpfs", 0, size.c_str()) == 0;
}

TEST(Named, OnlyItsUserMayOpenItAndItHasTheJobsKeyInItsName) {
    const Segment segment = segment_of(page, Kind::named);
    const std::string path = segment.handle().path;
    EXPECT_EQ(path.rfind("/dev/shm/nereus-" + own_key() + "-", 0), 0U) << path;
    struct stat is{};
    ASSERT_EQ(stat(path.c_str(), &is), 0);
    EXPECT_EQ(is.st_mode & 0777U, 0600U);
}

TEST(Named, IsRemovedWithItsCreatorAndNotWithAnother) {
    std::string path;
    {
        const Segment segment = segment_of(page, Kind::named);
        path = segment.handle().path;
        {
            const auto other = Segment::open(segment.handle());
        }
        EXPECT_TRUE(std::filesystem::exists(path));
    }
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(Named, WhoHasItOpenKeepsItWhenItsNameIsRemoved) {
    Segment segment = segment_of(page, Kind::named);
    const Handle handle = segment.handle();
    const auto other = Segment::open(handle);
    ASSERT_TRUE(other);
    segment.remove_name();
    EXPECT_FALSE(std::filesystem::exists(handle.path));
    write(segment, 0, "still");
    EXPECT_EQ(text_at(*other, 0, 5), "still");
    EXPECT_EQ(refusal_of(Segment::open(handle)),
              "-6: the shared memory of \"x\" cannot be opened: " + handle.path + ": No such file or directory");
    EXPECT_EQ(segment.handle().path, "");
}

TEST(Named, ACreatorThatLeavesHandsTheNameOn) {
    std::optional<Segment> creator = segment_of(page, Kind::named);
    const Handle handle = creator->handle();
    {
        auto survivor = Segment::open(handle);
        ASSERT_TRUE(survivor);
        creator->set_removes_name(false);
        survivor->set_removes_name(true);
        creator.reset();
        EXPECT_TRUE(Segment::open(survivor->handle()));
    }
    EXPECT_FALSE(std::filesystem::exists(handle.path));
}

TEST(Named, ALinkThatSomebodyPutInItsPlaceIsNotFollowed) {
    Segment segment = segment_of(page, Kind::named);
    const Handle handle = segment.handle();
    const std::string elsewhere = handle.path + "-moved";
    ASSERT_EQ(rename(handle.path.c_str(), elsewhere.c_str()), 0);
    ASSERT_EQ(symlink(elsewhere.c_str(), handle.path.c_str()), 0);
    EXPECT_NE(refusal_of(Segment::open(handle)).find("is another file by now"), std::string::npos);
    unlink(elsewhere.c_str());
}

TEST(Named, AKeyThatIsNoPartOfAFileNameIsRefused) {
    for (const std::string &key : {std::string(), std::string("../x"), std::string("a b"), std::string(101, 'a')}) {
        const auto refused = Segment::create({"x", page, Kind::named, key});
        ASSERT_FALSE(refused) << key;
        EXPECT_EQ(refused.error().code, NEREUS_ERR_MEMORY);
    }
}

TEST(Named, ReachesAProcessThatSeesOtherProcessesInProc) {
    const Segment anonymous = segment_of(page), named = segment_of(page, Kind::named);
    write(named, 0, "seen");
    const int result = with_namespaces(CLONE_NEWPID, [&] {
        const auto other = Segment::open(named.handle());
        return !segment_of(page).can_be_opened_by_others() && other && text_at(*other, 0, 4) == "seen";
    });
    if (result == not_allowed) GTEST_SKIP() << "this user may have no namespaces of its own";
    EXPECT_EQ(result, 0);
}

TEST(Named, AFolderThatIsTooSmallIsSaidBeforeASignalEndsTheProcess) {
    const int result = with_namespaces(CLONE_NEWNS, [] {
        if (!has_small_folder(16 * page)) return false;
        Segment segment = segment_of(64 * page, Kind::named);
        const auto refused = segment.check_room(17 * page), touched = segment.touch(0, 17 * page);
        return segment.check_room(16 * page) && !refused && !touched &&
               refused.error().what == "\"x\" needs " + std::to_string(17 * page) + " B on this host; /dev/shm has " +
                                           std::to_string(16 * page) +
                                           " B free: make it larger (in a container: --shm-size)" &&
               touched.error().what.find("no memory for bytes 0 .. ") == 0;
    });
    if (result == not_allowed) GTEST_SKIP() << "this user may have no namespaces of its own";
    EXPECT_EQ(result, 0);
}

}
}
