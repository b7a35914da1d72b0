/* SPDX-License-Identifier: BSD-3-Clause */
/* Never calls MPI_Init. Two sessions; all processes send 8 bytes to the next and sum a double, unless they are told
 * "parts-only": then they have communicators of their own alone. */
#include <mpi.h>
#include <string.h>

static MPI_Comm communicator_of(MPI_Session session, const char *set, const char *tag) {
    MPI_Group group;
    MPI_Comm comm;
    MPI_Group_from_session_pset(session, set, &group);
    MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void talk(MPI_Comm comm) {
    int rank, ranks;
    double one = 1, sum = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &ranks);
    MPI_Sendrecv(&one, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &sum, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, comm,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
}

int main(int argc, char **argv) {
    MPI_Session first, second;
    const int parts_only = argc > 1 && strcmp(argv[1], "parts-only") == 0;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Comm alone = communicator_of(first, "mpi://SELF", "alone");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    if (!parts_only) {
        MPI_Comm all = communicator_of(second, "mpi://WORLD", "all");
        talk(all);
        MPI_Comm_free(&all);
    }
    MPI_Comm_free(&alone);
    MPI_Session_finalize(&first);
    MPI_Session_finalize(&second);
    return 0;
}
