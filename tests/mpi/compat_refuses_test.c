/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of MaM would lose: a sentence that says what cannot be done, where a program would go on with wrong data.
 *
 *     compat_refuses_test CASE
 */
#include "MAM.h"

#include "base/flush_stderr.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm comm;

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "not so: %s\n", what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void open_job(char *program, int root) {
    comm = MPI_COMM_WORLD;
    expect(MAM_Init(root, &comm, program, NULL, NULL) == MAM_SOURCES, "a founder is a source");
}

/* @return what MAM_Checkpoint() returns; nothing has changed then */
static int try_size(unsigned size) {
    int state = MAM_COMPLETED, now, ranks;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    expect(MAM_Set_target_number(size) == MAM_OK, "a number is taken");
    const int code = MAM_Checkpoint(&state, MAM_WAIT_COMPLETION, NULL, NULL);
    MPI_Comm_size(comm, &now);
    expect(state == MAM_NOT_STARTED && now == ranks, "nothing is under way, nothing has changed");
    return code;
}

static void same_size(char *program) {
    open_job(program, 0);
    expect(try_size(2) == MAM_DENIED, "a reconfiguration to the same size is denied");
}

static void root_that_leaves(char *program) {
    open_job(program, 1);
    expect(try_size(1) == MAM_DENIED, "a reconfiguration without the root is denied");
}

static void no_such_value(char *program) {
    int provided = 99, found = 99;
    open_job(program, 0);
    expect(MAM_Set_target_number(0) == MAM_DENIED, "0 processes");
    MAM_Set_key_configuration(MAM_SPAWN_METHOD, 7, &provided);
    expect(provided == MAM_SPAWN_MERGE, "a method that does not exist");
    MAM_Set_key_configuration(MAM_SPAWN_STRATEGIES, MAM_STRATS_SPAWN_LEN, &provided);
    expect(provided == MAM_DENIED, "a strategy that does not exist");
    MAM_Set_key_configuration(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_SINGLE, &provided);
    expect(provided == MAM_STRATS_ADDED, "a strategy is added");
    MAM_Set_key_configuration(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PARALLEL, &provided);
    expect(provided == MAM_STRATS_MODIFIED, "a strategy that excludes another");
    expect(MAM_Contains_strat(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_SINGLE, &found) == MAM_OK && found == 0,
           "the excluded one is gone");
    expect(MAM_Contains_strat(MAM_SPAWN_STRATEGIES, MAM_STRAT_SPAWN_PARALLEL, &found) == MAM_OK && found == 1,
           "the other one is there");
    expect(MAM_Contains_strat(MAM_RED_METHOD, 0, &found) == MAM_DENIED, "a key without strategies");
    mam_user_reconf_t info;
    expect(MAM_Get_Reconf_Info(&info) == MAM_DENIED, "information outside the user's phase");
    void *data = &info;
    MAM_Data_get_pointer(&data, 3, NULL, NULL, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT);
    expect(data == &info, "data that does not exist");
}

/* Those that end the program: MPI_Abort() with 2 after a sentence on stderr. */
static void derived_type(char *program) {
    MPI_Datatype pair;
    int two[2] = {1, 2};
    open_job(program, 0);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MAM_Data_add(two, NULL, 2, pair, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT);
}

static void other_program(char *program) {
    (void)program;
    open_job("/bin/true", 0);
}

static void before_init(char *program) {
    int one = 1;
    (void)program;
    MAM_Data_add(&one, NULL, 1, MPI_INT, MAM_DATA_REPLICATED, MAM_DATA_CONSTANT);
}

int main(int argc, char *argv[]) {
    static const struct {
        const char *name;
        void (*run)(char *);
    } cases[] = {{"same_size", same_size},         {"root_that_leaves", root_that_leaves},
                 {"no_such_value", no_such_value}, {"derived_type", derived_type},
                 {"other_program", other_program}, {"before_init", before_init}};
    MPI_Init(&argc, &argv);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(argv[1], cases[i].name) == 0) cases[i].run(argv[0]);
    MAM_Finalize();
    MPI_Finalize();
    return 0;
}
