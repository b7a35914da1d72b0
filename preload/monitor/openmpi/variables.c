/* SPDX-License-Identifier: BSD-3-Clause */
#include "variables.h"

#include "messages.h"
#include "since_start.h"

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "opal/mca/base/mca_base_pvar.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *framework, *name, *what;
    int class;
    int values; /* for each rank; 0: one in all */
} row;

/* In the order of enum nereus_openmpi_variable. */
static const row rows[] = {
    {"pml", "messages_count", "messages that the program sent to each rank", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"pml", "messages_size", "bytes of them", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"pml", "internal_count", "messages that Open MPI sent to each rank for collectives", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"pml", "internal_size", "bytes of them", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"pml", "messages_histogram", "messages of 0 bytes to each rank, then of 2^k to 2^(k+1)-1 bytes",
     MCA_BASE_PVAR_CLASS_SIZE, NEREUS_OPENMPI_SIZES},
    {"pml", "internal_histogram", "the same of internal_count", MCA_BASE_PVAR_CLASS_SIZE, NEREUS_OPENMPI_SIZES},
    {"osc", "messages_sent_count", "puts to each rank", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"osc", "messages_sent_size", "bytes of them", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"osc", "messages_recv_count", "gets from each rank", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"osc", "messages_recv_size", "bytes of them", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"coll", "messages_count", "what collectives mean: messages to each rank", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"coll", "messages_size", "bytes of them", MCA_BASE_PVAR_CLASS_SIZE, 1},
    {"coll", "o2a_count", "collectives from one to all", MCA_BASE_PVAR_CLASS_COUNTER, 0},
    {"coll", "o2a_size", "bytes that this process sent in them", MCA_BASE_PVAR_CLASS_AGGREGATE, 0},
    {"coll", "a2o_count", "collectives from all to one", MCA_BASE_PVAR_CLASS_COUNTER, 0},
    {"coll", "a2o_size", "bytes that this process sent in them", MCA_BASE_PVAR_CLASS_AGGREGATE, 0},
    {"coll", "a2a_count", "collectives from all to all", MCA_BASE_PVAR_CLASS_COUNTER, 0},
    {"coll", "a2a_size", "bytes that this process sent in them", MCA_BASE_PVAR_CLASS_AGGREGATE, 0},
};
enum { number_of_rows = sizeof rows / sizeof rows[0] };

static const nereus_openmpi_readers *readers = NULL;
static char *flush_to = NULL; /* name of the files; NULL: none */
static int flush_handles = 0;

static int number_of(const mca_base_pvar_t *variable) { return (int)(intptr_t)variable->ctx; }

static int number_of_values(const row *of, void *comm) {
    const int others =
        OMPI_COMM_IS_INTER((ompi_communicator_t *)comm) ? ompi_comm_remote_size(comm) : ompi_comm_size(comm);
    return of->values == 0 ? 1 : of->values * others;
}

static bool read_all(int number, void *comm, unsigned long long *values) {
    return readers->values((enum nereus_openmpi_variable)number, comm, values);
}

/* Of the others Open MPI itself counts what comes while a handle runs. */
static bool is_size(int number) { return rows[number].class == MCA_BASE_PVAR_CLASS_SIZE; }

static int notify(mca_base_pvar_t *variable, mca_base_pvar_event_t event, void *comm, int *count) {
    const int number = number_of(variable);
    if (event == MCA_BASE_PVAR_HANDLE_BIND) *count = number_of_values(&rows[number], comm);
    if (!is_size(number)) return OPAL_SUCCESS;
    if (event == MCA_BASE_PVAR_HANDLE_BIND) nereus_handle_is_bound(number, comm, (size_t)*count);
    if (event == MCA_BASE_PVAR_HANDLE_UNBIND) nereus_handle_is_freed(number, comm);
    if (event == MCA_BASE_PVAR_HANDLE_START) nereus_handle_starts(number, comm, read_all);
    if (event == MCA_BASE_PVAR_HANDLE_STOP) nereus_handle_stops(number, comm, read_all);
    return OPAL_SUCCESS;
}

static int get(const mca_base_pvar_t *variable, void *values, void *comm) {
    const int number = number_of(variable);
    const bool read =
        is_size(number) ? nereus_read_since_start(number, comm, read_all, values) : read_all(number, comm, values);
    return read ? OPAL_SUCCESS : OPAL_ERR_NOT_AVAILABLE;
}

/* A name that is written is text that ends with a zero, as in Open MPI's own monitoring; it cannot be read. */
static int set_flush(mca_base_pvar_t *variable, const void *name, void *object) {
    (void)variable;
    (void)object;
    free(flush_to);
    flush_to = strdup(name);
    return flush_to ? OPAL_SUCCESS : OPAL_ERR_OUT_OF_RESOURCE;
}

static int get_flush(const mca_base_pvar_t *variable, void *name, void *object) {
    (void)variable;
    (void)name;
    (void)object;
    return OPAL_SUCCESS;
}

static int notify_flush(mca_base_pvar_t *variable, mca_base_pvar_event_t event, void *object, int *count) {
    (void)variable;
    (void)object;
    if (event == MCA_BASE_PVAR_HANDLE_BIND) {
        *count = 0;
        ++flush_handles;
    }
    if (event == MCA_BASE_PVAR_HANDLE_UNBIND && --flush_handles == 0) readers->end_flush(""); /* nobody stopped it */
    if (event == MCA_BASE_PVAR_HANDLE_START) readers->begin_flush();
    if (event == MCA_BASE_PVAR_HANDLE_STOP) readers->end_flush(flush_to ? flush_to : "");
    return OPAL_SUCCESS;
}

static void show(intptr_t i) {
    const row *of = &rows[i];
    /* Where a user leaves a component of its monitoring out, Open MPI forgets to take away its variables: nothing
     * counts into them. */
    const int left = mca_base_pvar_find("ompi", of->framework, "monitoring", of->name);
    if (left >= 0) mca_base_pvar_mark_invalid(left);
    mca_base_pvar_register("ompi", of->framework, "monitoring", of->name, of->what, OPAL_INFO_LVL_4, of->class,
                           MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL, MCA_BASE_VAR_BIND_MPI_COMM,
                           MCA_BASE_PVAR_FLAG_READONLY, get, NULL, notify, (void *)i);
}

bool nereus_openmpi_show(const nereus_openmpi_readers *of) {
    if (readers) return true;
    if (nereus_openmpi_monitors_itself()) return false;
    readers = of;
    for (intptr_t i = 0; i < number_of_rows; ++i) show(i);
    mca_base_pvar_register("ompi", "pml", "monitoring", "flush", "between start and stop: written to NAME.RANK.prof",
                           OPAL_INFO_LVL_4, MCA_BASE_PVAR_CLASS_GENERIC, MCA_BASE_VAR_TYPE_STRING, NULL,
                           MCA_BASE_VAR_BIND_NO_OBJECT, 0, get_flush, set_flush, notify_flush, NULL);
    return true;
}
