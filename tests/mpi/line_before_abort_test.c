/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user would lose: the line that says why a program is ended. MPI_Abort() ends launchers too, with what they
 * have not read: when it is called, a slow reader has the line. */
#include "MAM.h"

#include "base/flush_stderr.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

enum { slow_milliseconds = 100 };

static int ends[2];

static void *read_slowly(void *unused) {
    char text[1000];
    struct pollfd written = {ends[0], POLLIN, 0};
    poll(&written, 1, -1);
    poll(NULL, 0, slow_milliseconds);
    const ssize_t bytes = read(ends[0], text, sizeof text);
    if (bytes > 0) fwrite(text, 1, (size_t)bytes, stdout);
    return unused;
}

/* In place of the MPI's: the library calls it. */
int MPI_Abort(MPI_Comm comm, int code) {
    const int is_read = nereus_is_drained(STDERR_FILENO, 0);
    (void)comm;
    puts(is_read ? "aborted when its line was read" : "aborted before its line was read");
    fflush(stdout);
    PMPI_Finalize();
    exit(is_read && code == 2 ? EXIT_SUCCESS : EXIT_FAILURE);
}

int main(int argc, char *argv[]) {
    int one = 1;
    pthread_t reader;
    MPI_Init(&argc, &argv);
    if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0 || pthread_create(&reader, NULL, read_slowly, NULL) != 0)
        return EXIT_FAILURE;
    MAM_Data_add(&one, NULL, 1, MPI_INT, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT); /* before MAM_Init() */
    return EXIT_FAILURE;
}
