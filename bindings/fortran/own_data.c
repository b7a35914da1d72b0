/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of a Fortran program for data of its own: they get communicators as integers. Called by nereus_own_data.f90
 * alone. */
#include <nereus/save.h>

#include <stdlib.h>
#include <string.h>

/* nereus_sides, with its communicator as an integer: nereus_types.f90 */
struct fortran_sides {
    MPI_Fint comm;
    int sources, drains, source, drain;
    const int *drain_ranks;
};

typedef int (*fortran_load)(MPI_Fint comm, const nereus_pieces *pieces, void *context);
typedef int (*fortran_redistribution)(int step, const struct fortran_sides *sides, void *context);

int nereus_fortran_on_save(const char *name, nereus_save_pieces save, fortran_load load, void *context);
int nereus_fortran_on_resize(const char *name, fortran_redistribution move, void *context);

/* Of one name; kept until the process ends. */
struct functions {
    char *name;
    nereus_save_pieces save;
    fortran_load load;
    fortran_redistribution move;
    void *context;
    struct functions *next;
};

/* NULL where there is no memory. */
static struct functions *of_name(struct functions **first, const char *name) {
    struct functions *found = *first;
    while (found != NULL && strcmp(found->name, name) != 0) found = found->next;
    if (found != NULL) return found;
    found = calloc(1, sizeof *found);
    char *const copy = strdup(name);
    if (found == NULL || copy == NULL) {
        free(found);
        free(copy);
        return NULL;
    }
    found->name = copy;
    found->next = *first;
    return *first = found;
}

static int save_pieces(nereus_pieces *pieces, void *context) {
    const struct functions *const own = context;
    return own->save(pieces, own->context);
}

static int load_pieces(MPI_Comm comm, const nereus_pieces *pieces, void *context) {
    const struct functions *const own = context;
    return own->load(MPI_Comm_c2f(comm), pieces, own->context);
}

static int move(enum nereus_redistribution_step step, const nereus_sides *sides, void *context) {
    const struct functions *const own = context;
    const struct fortran_sides given = {
        MPI_Comm_c2f(sides->comm), sides->sources, sides->drains, sides->source, sides->drain, sides->drain_ranks};
    return own->move((int)step, &given, own->context);
}

int nereus_fortran_on_save(const char *name, nereus_save_pieces save, fortran_load load, void *context) {
    static struct functions *known;
    struct functions *const own = of_name(&known, name);
    if (own == NULL) return NEREUS_ERR_MEMORY;
    own->save = save;
    own->load = load;
    own->context = context;
    return nereus_on_save(name, save_pieces, load_pieces, own);
}

int nereus_fortran_on_resize(const char *name, fortran_redistribution function, void *context) {
    static struct functions *known;
    struct functions *const own = of_name(&known, name);
    if (own == NULL) return NEREUS_ERR_MEMORY;
    own->move = function;
    own->context = context;
    return nereus_on_resize(name, move, own);
}
