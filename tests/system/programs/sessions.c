/* SPDX-License-Identifier: BSD-3-Clause */
/* Never calls MPI_Init. Two sessions; all processes send 8 bytes to the next and sum a double. "reversed": in a
 * communicator that has them in another order. "twice": all of it once more. "alone": without a communicator of all. */
#include <mpi.h>
#include <string.h>

static const char *how = "";

static int is(const char *word) { return strcmp(how, word) == 0; }

static MPI_Group group_of(MPI_Session session, const char *set) {
    MPI_Group group, reversed;
    int size;
    MPI_Group_from_session_pset(session, set, &group);
    if (!is("reversed")) return group;
    MPI_Group_size(group, &size);
    MPI_Group_range_incl(group, 1, (int[1][3]){{size - 1, 0, -1}}, &reversed);
    MPI_Group_free(&group);
    return reversed;
}

static MPI_Comm communicator_of(MPI_Session session, const char *set) {
    MPI_Group group = group_of(session, set);
    MPI_Comm comm;
    MPI_Comm_create_from_group(group, set, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    return comm;
}

static void talk(MPI_Session session) {
    MPI_Comm all = communicator_of(session, "mpi://WORLD");
    int rank, ranks;
    double one = 1, sum = 0;
    MPI_Comm_rank(all, &rank);
    MPI_Comm_size(all, &ranks);
    MPI_Sendrecv(&one, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, &sum, 1, MPI_DOUBLE, (rank + ranks - 1) % ranks, 0, all,
                 MPI_STATUS_IGNORE);
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, all);
    MPI_Comm_free(&all);
}

static void use_sessions(void) {
    MPI_Session first, second;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &first);
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second);
    MPI_Comm self = communicator_of(first, "mpi://SELF");
    if (!is("alone")) talk(second);
    MPI_Comm_free(&self);
    MPI_Session_finalize(&first);
    MPI_Session_finalize(&second);
}

int main(int argc, char **argv) {
    if (argc > 1) how = argv[1];
    use_sessions();
    if (is("twice")) use_sessions();
    return 0;
}
