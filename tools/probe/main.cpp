// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    int thread_level = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &thread_level) != MPI_SUCCESS) {
        std::fputs("nereus-probe: MPI_Init_thread failed\n", stderr);
        return 1;
    }
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    bool finished = true;
    if (parent != MPI_COMM_NULL) {
        nereus::probe::try_as_child(parent);
    } else {
        nereus::probe::report_library(thread_level);
        finished = nereus::probe::try_as_parent(argv[0]);
    }
    // After a trial that failed half-way the child may wait for ever: nothing else than an abort ends both.
    if (!finished) MPI_Abort(MPI_COMM_WORLD, EXIT_SUCCESS);
    MPI_Finalize();
    return EXIT_SUCCESS;
}
