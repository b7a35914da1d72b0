/* SPDX-License-Identifier: BSD-3-Clause */
#include "since_start.h"

#include <stdlib.h>

/* The values are `counted`, and while a handle runs, what came since `began` too. */
typedef struct values_of_handles {
    struct values_of_handles *next;
    int variable;
    void *comm;
    int bound, running;
    size_t number;
    unsigned long long *counted, *began, *now;
} values_of_handles;

static values_of_handles *first = NULL;

static values_of_handles **place_of(int variable, void *comm) {
    values_of_handles **place = &first;
    while (*place && ((*place)->variable != variable || (*place)->comm != comm)) place = &(*place)->next;
    return place;
}

/* What was counted, with what came while a handle runs. */
static bool add_up(values_of_handles *values, nereus_read_all read, unsigned long long *sums) {
    if (!read(values->variable, values->comm, values->now)) return false;
    for (size_t i = 0; i < values->number; ++i)
        sums[i] = values->counted[i] + (values->running > 0 ? values->now[i] - values->began[i] : 0);
    return true;
}

void nereus_handle_is_bound(int variable, void *comm, size_t number) {
    values_of_handles **place = place_of(variable, comm);
    if (!*place) {
        values_of_handles *made = calloc(1, sizeof *made);
        unsigned long long *memory = calloc(3 * number, sizeof *memory);
        if (!made || !memory) {
            free(made);
            free(memory);
            return; /* it cannot be read */
        }
        *made = (values_of_handles){NULL, variable, comm, 0, 0, number, memory, memory + number, memory + 2 * number};
        *place = made;
    }
    ++(*place)->bound;
}

void nereus_handle_is_freed(int variable, void *comm) {
    values_of_handles **place = place_of(variable, comm), *values = *place;
    if (!values) return;
    --values->bound;
    /* A handle may be freed while it runs: nobody says so. */
    if (values->running > values->bound) values->running = values->bound;
    if (values->bound > 0) return;
    *place = values->next;
    free(values->counted);
    free(values);
}

void nereus_handle_starts(int variable, void *comm, nereus_read_all read) {
    values_of_handles *values = *place_of(variable, comm);
    if (values && values->running++ == 0 && !read(variable, comm, values->began)) values->running = 0;
}

void nereus_handle_stops(int variable, void *comm, nereus_read_all read) {
    values_of_handles *values = *place_of(variable, comm);
    if (!values || values->running == 0) return;
    if (values->running == 1) add_up(values, read, values->counted);
    --values->running;
}

bool nereus_read_since_start(int variable, void *comm, nereus_read_all read, unsigned long long *out) {
    values_of_handles *values = *place_of(variable, comm);
    return values && add_up(values, read, out);
}
