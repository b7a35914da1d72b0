// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the end of a job one rank of which has aborted, where its launcher learns that too early.
#include "mpi/unfinalized_exit.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

auto open_files() {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), std::filesystem::directory_iterator{});
}

/// As Hydra's proxy does: one that waits for what a process closes.
class Launcher {
public:
    Launcher() {
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, connection_.data()), 0);
        EXPECT_EQ(pipe(output_.data()), 0);
        process_ = fork();
        if (process_ == 0) exit_as_a_newcomer();
        close(connection_[1]);
        close(output_[1]);
    }
    Launcher(const Launcher &) = delete;
    Launcher &operator=(const Launcher &) = delete;
    ~Launcher() {
        close(connection_[0]);
        close(output_[0]);
        waitpid(process_, nullptr, 0);
    }

    bool sees_the_connection_closed_with_the_output_or_before() {
        std::array<pollfd, 2> files{{{connection_[0], POLLIN, 0}, {output_[0], POLLIN, 0}}};
        EXPECT_GT(poll(files.data(), files.size(), 30'000), 0);
        return files[0].revents != 0;
    }

private:
    [[noreturn]] void exit_as_a_newcomer() {
        constexpr int above_the_connection = 40;
        dup2(output_[1], above_the_connection);
        close(output_[1]);
        close(output_[0]);
        close(connection_[0]);
        setenv("PMI_FD", std::to_string(connection_[1]).c_str(), 1);
        nereus::mpi::let_connection_close_first();
        _exit(1);
    }

    std::array<int, 2> connection_{}, output_{};
    pid_t process_ = -1;
};

}

TEST(UnfinalizedExit, ClosesTheConnectionToTheLauncherBeforeTheOutput) {
    for (int time = 0; time < 20; ++time)
        EXPECT_TRUE(Launcher().sees_the_connection_closed_with_the_output_or_before()) << time;
}

TEST(UnfinalizedExit, WithoutAConnectionNothingIsOpened) {
    for (const char *const none : {"", "-1", "12x", "99999999999", "700"}) {
        setenv("PMI_FD", none, 1);
        const auto before = open_files();
        nereus::mpi::let_connection_close_first();
        EXPECT_EQ(open_files(), before) << none;
    }
    unsetenv("PMI_FD");
}
