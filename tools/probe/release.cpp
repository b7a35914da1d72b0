// SPDX-License-Identifier: BSD-3-Clause
// nereus-release PORT: connects to a job that waits in MPI_Comm_accept for newcomers that died, tells it that nobody
// comes, and ends. Started by the supervisor: docs/formats/link.md.
#include "trial.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <string>
#include <unistd.h>

namespace {

constexpr unsigned most_seconds = 10;
/// The other ranks of the job may still be at connecting when rank 0 has the word: memory that they look for must stay.
constexpr double stay_seconds = 2;
// What the sources of a resize read from their newcomers; no request has this number.
constexpr int first_word_tag = 21;
constexpr int nobody_comes = -1;

volatile std::sig_atomic_t said = 0;

/// MPI may wait for the other side for ever, in the connect and in MPI_Finalize.
extern "C" void give_up(int) { _exit(said ? 0 : 1); }

int complain(const std::string &text) {
    std::fprintf(stderr, "nereus-release: %s\n", text.c_str());
    return 2;
}

int help() {
    std::printf("nereus-release PORT\n\nReleases a job that waits in MPI_Comm_accept at PORT for processes that will "
                "not come. The supervisor starts it;\nusers need not.\n");
    return 0;
}

/// Lets MPI do its work, without a message of its own.
void stay(MPI_Comm job) {
    for (const double end = MPI_Wtime() + stay_seconds; MPI_Wtime() < end; usleep(1000)) {
        int any = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, job, &any, MPI_STATUS_IGNORE);
    }
}

int tell(const char *port) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm job = MPI_COMM_NULL;
    int code = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &job);
    if (code == MPI_SUCCESS) {
        MPI_Comm_set_errhandler(job, MPI_ERRORS_RETURN);
        code = MPI_Send(&nobody_comes, 1, MPI_INT, 0, first_word_tag, job);
    }
    if (code == MPI_SUCCESS) {
        said = 1;
        stay(job);
        return 0;
    }
    complain(nereus::probe::reason_of(code));
    return 1;
}

}

int main(int argc, char **argv) {
    if (argc != 2) return complain("found " + std::to_string(argc - 1) + " arguments, allowed is one, the port");
    if (std::strcmp(argv[1], "--help") == 0) return help();
    std::signal(SIGALRM, give_up);
    alarm(most_seconds);
    MPI_Init(nullptr, nullptr);
    const int exit_code = tell(argv[1]);
    MPI_Finalize();
    return exit_code;
}
