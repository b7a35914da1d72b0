/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of MaM would lose: a program that resizes as it did, with all data right.
 *
 *     compat_mam_test METHOD SPAWN_STRATEGY RED_METHOD RED_STRATEGY SIZES...    numbers of MaM's enums
 *
 * Written as programs of MaM are, with MaM's names alone.
 */
#include "MAM.h"

#include "base/flush_stderr.h"

#include <stdio.h>
#include <stdlib.h>

enum { elements = 1003, table_elements = 5007, few = 3, iterations = 4, root = 0 };

struct program {
    MPI_Comm comm;
    int rank, size, sizes, phase, calls;
    int *wanted;
    int *iteration; /* replicated */
    double *x;      /* distributed, variable: x[i] = i + iteration */
    int *table;     /* distributed, constant: table[i] = 7 i */
    long *some;     /* distributed, fewer elements than processes now and then */
    int configuration[4];
};

static struct program app;

static void expect(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "not so on rank %d of %d in phase %d: %s\n", app.rank, app.size, app.phase, what);
    flush_stderr_to_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int first_of(int total, int rank) {
    const int extra = total % app.size;
    return total / app.size * rank + (rank < extra ? rank : extra);
}
static int count_of(int total) { return first_of(total, app.rank + 1) - first_of(total, app.rank); }

static void find_place(void) {
    MPI_Comm_rank(app.comm, &app.rank);
    MPI_Comm_size(app.comm, &app.size);
}

static void check(void) {
    for (int i = 0, first = first_of(elements, app.rank); i < count_of(elements); i++)
        expect(app.x[i] == first + i + *app.iteration, "variable data");
    for (int i = 0, first = first_of(table_elements, app.rank); i < count_of(table_elements); i++)
        expect(app.table[i] == 7 * (first + i), "constant data");
    for (int i = 0, first = first_of(few, app.rank); i < count_of(few); i++)
        expect(app.some[i] == 100 + first + i, "data of few elements");
}

static void iterate(void) {
    double sum = 0, all = 0;
    for (int i = 0; i < count_of(elements); i++) sum += app.x[i] += 1;
    ++*app.iteration;
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, app.comm);
    expect(all == elements * (elements - 1) / 2.0 + (double)elements * *app.iteration, "the sum over all processes");
}

/* The user's phase: newcomers hear in which phase the program is. */
static void redistribute(void *arguments) {
    mam_user_reconf_t info;
    int rank, size;
    struct program *mine = arguments;
    expect(mine == &app, "arguments of the user's function");
    expect(MAM_Get_Reconf_Info(&info) == MAM_OK, "information for the user's function");
    MPI_Comm_rank(info.comm, &rank);
    MPI_Comm_size(info.comm, &size);
    expect((info.rank_state == MAM_PROC_NEW_RANK) == (rank >= info.numS), "sources come first");
    expect(size >= info.numS && size >= info.numT, "all are there");
    if (mine->calls++ == 0) return; /* not done yet: called again */
    MPI_Bcast(&mine->phase, 1, MPI_INT, root, info.comm);
    MAM_Resume_redistribution(NULL);
}

static void *fill_none(size_t count, size_t bytes) { return malloc(count > 0 ? count * bytes : 1); }

static void begin_as_source(void) {
    app.iteration = calloc(1, sizeof *app.iteration);
    app.x = fill_none((size_t)count_of(elements), sizeof *app.x);
    app.table = fill_none((size_t)count_of(table_elements), sizeof *app.table);
    app.some = fill_none((size_t)count_of(few), sizeof *app.some);
    for (int i = 0; i < count_of(elements); i++) app.x[i] = first_of(elements, app.rank) + i;
    for (int i = 0; i < count_of(table_elements); i++) app.table[i] = 7 * (first_of(table_elements, app.rank) + i);
    for (int i = 0; i < count_of(few); i++) app.some[i] = 100 + first_of(few, app.rank) + i;
    size_t index = 99;
    MAM_Data_add(app.x, &index, elements, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    expect(index == 0, "the first index is 0");
    MAM_Data_add(app.some, &index, few, MPI_LONG, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    expect(index == 1, "the second index is 1");
    MAM_Data_add(app.table, NULL, table_elements, MPI_INT, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    MAM_Data_add(app.iteration, NULL, 1, MPI_INT, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
}

static void take_data(void) {
    size_t total = 0;
    MPI_Datatype type;
    void *data = NULL;
    MAM_Data_get_pointer(&data, 0, &total, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    expect(total == elements && type == MPI_DOUBLE, "an entry's length and type");
    app.x = data;
    MAM_Data_get_pointer(&data, 1, &total, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    expect(total == few && type == MPI_LONG, "another entry's length and type");
    app.some = data;
    MAM_Data_get_pointer(&data, 0, &total, &type, MAM_DATA_DISTRIBUTED, MAM_DATA_CONSTANT);
    app.table = data;
}

static void begin_as_target(void) {
    size_t entries = 0;
    void *data = NULL;
    MAM_Data_get_entries(MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE, &entries);
    expect(entries == 2, "the number of entries");
    take_data();
    MAM_Data_get_pointer(&data, 0, NULL, NULL, MAM_DATA_REPLICATED, MAM_DATA_VARIABLE);
    app.iteration = data;
}

/* Every second time another buffer takes the place of x, as after a swap of two vectors. */
static void swap_buffers(void) {
    if (app.phase % 2 == 0) return;
    double *other = fill_none((size_t)count_of(elements), sizeof *other);
    for (int i = 0; i < count_of(elements); i++) other[i] = app.x[i];
    MAM_Data_modify(other, 0, elements, MPI_DOUBLE, MAM_DATA_DISTRIBUTED, MAM_DATA_VARIABLE);
    for (int i = 0; i < count_of(elements); i++) app.x[i] = -1;
    free(app.x);
    app.x = other;
}

static void continue_as_target(void) {
    free(app.x);
    free(app.table);
    free(app.some);
    take_data();
}

static void resize(void) {
    int state = MAM_NOT_STARTED;
    const int size = app.wanted[app.phase++];
    const int *with = app.configuration;
    MAM_Set_configuration(with[0], MAM_STRAT_SPAWN_CLEAR, MAM_PHY_DIST_COMPACT, with[2], MAM_STRAT_RED_CLEAR);
    MAM_Set_key_configuration(MAM_SPAWN_STRATEGIES, with[1], NULL);
    MAM_Set_key_configuration(MAM_RED_STRATEGIES, with[3], NULL);
    expect(MAM_Set_target_number((unsigned)size) == MAM_OK, "a number of targets");
    app.calls = 0;
    MAM_Checkpoint(&state, MAM_CHECK_COMPLETION, redistribute, &app);
    for (int wait = MAM_CHECK_COMPLETION, i = 0; state == MAM_PENDING || state == MAM_USER_PENDING; i++) {
        if (i < iterations)
            iterate();
        else
            wait = MAM_WAIT_COMPLETION;
        MAM_Checkpoint(&state, wait, redistribute, &app);
    }
    expect(state == MAM_COMPLETED, "a reconfiguration completes");
    find_place();
    expect(app.size == size, "there are as many processes as were asked for");
    continue_as_target();
}

int main(int argc, char *argv[]) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    app.comm = MPI_COMM_WORLD;
    app.sizes = argc - 5;
    app.wanted = malloc((size_t)argc * sizeof *app.wanted);
    for (int i = 5; i < argc; i++) app.wanted[i - 5] = atoi(argv[i]);
    for (int i = 0; i < 4; i++) app.configuration[i] = atoi(argv[i + 1]);
    const int target = MAM_Init(root, &app.comm, argv[0], redistribute, &app);
    find_place();
    if (target == MAM_TARGETS)
        begin_as_target();
    else
        begin_as_source();
    for (;;) {
        check();
        for (int i = 0; i < iterations; i++) iterate();
        if (app.phase == app.sizes) break;
        swap_buffers();
        resize();
    }
    check();
    double seconds = -1, all = -1;
    MAM_Retrieve_times(NULL, &seconds, NULL, NULL, NULL, &all);
    expect(seconds >= 0 && all >= seconds, "times of the last reconfiguration");
    free(app.x);
    free(app.table);
    free(app.some);
    free(app.iteration);
    free(app.wanted);
    MPI_Comm_free(&app.comm);
    expect(MAM_Finalize() == MAM_OK, "the job is closed, and this process need not stay");
    MPI_Finalize();
    return 0;
}
