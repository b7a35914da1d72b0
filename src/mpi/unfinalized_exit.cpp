// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/unfinalized_exit.hpp"

#include "base/flush_stderr.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mpi.h>
#include <mutex>
#include <poll.h>
#include <system_error>
#include <unistd.h>

namespace nereus::mpi {
namespace {

constexpr int drained_within = 1000;   // milliseconds
constexpr int back_in_poll_after = 10; // milliseconds that a proxy has to deal with what it read

pid_t opened_by = -1; // a fork that exits is no rank

/// @return -1 where there is none
int pmi_connection() {
    const char *const text = std::getenv("PMI_FD");
    if (text == nullptr) return -1;
    int number = -1;
    const char *const end = text + std::strlen(text);
    const auto [read_to, problem] = std::from_chars(text, end, number);
    return problem == std::errc{} && read_to == end && fcntl(number, F_GETFD) != -1 ? number : -1;
}

int highest_file() {
    int highest = -1;
    std::error_code problem; // then the connection gets a number that is not the highest, and closes when it did before
    std::filesystem::directory_iterator file("/proc/self/fd", problem);
    for (; !problem && file != std::filesystem::directory_iterator{}; file.increment(problem))
        highest = std::max(highest, std::atoi(file->path().filename().c_str()));
    return highest;
}

void at_exit() {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized != 0 || getpid() != opened_by) return;
    std::fflush(stdout); // as exit() does next: late output, too, wakes the proxy
    let_connection_close_first();
}

}

void let_launcher_see_unfinalized_exits() {
    static std::once_flag once;
    std::call_once(once, [] {
        opened_by = getpid();
        std::atexit(at_exit);
    });
}

void let_connection_close_first() {
    const int connection = pmi_connection();
    if (connection < 0) return;
    nereus_is_drained(STDOUT_FILENO, drained_within); // unread output would wake the proxy as well
    nereus_is_drained(STDERR_FILENO, drained_within);
    poll(nullptr, 0, back_in_poll_after);
    fcntl(connection, F_DUPFD_CLOEXEC, highest_file() + 1);
}

}
