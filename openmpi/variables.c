/* SPDX-License-Identifier: BSD-3-Clause */
#include "variables.h"

#include "ompi_config.h"

#include "ompi/communicator/communicator.h"
#include "opal/mca/base/mca_base_pvar.h"

#include <stdint.h>

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

static nereus_openmpi_values values_of = NULL;

static int number_of_values(mca_base_pvar_t *variable, mca_base_pvar_event_t event, void *comm, int *count) {
    const row *of = &rows[(intptr_t)variable->ctx];
    const int others =
        OMPI_COMM_IS_INTER((ompi_communicator_t *)comm) ? ompi_comm_remote_size(comm) : ompi_comm_size(comm);
    if (event == MCA_BASE_PVAR_HANDLE_BIND) *count = of->values == 0 ? 1 : of->values * others;
    return OPAL_SUCCESS;
}

static int get(const mca_base_pvar_t *variable, void *values, void *comm) {
    const enum nereus_openmpi_variable which = (enum nereus_openmpi_variable)(intptr_t)variable->ctx;
    return values_of(which, comm, values) ? OPAL_SUCCESS : OPAL_ERR_NOT_AVAILABLE;
}

int nereus_openmpi_show(nereus_openmpi_values values) {
    int taken = 0, index;
    if (values_of) return 0;
    for (intptr_t i = 0; i < number_of_rows; ++i) {
        if (mca_base_pvar_find("ompi", rows[i].framework, "monitoring", rows[i].name) >= 0) {
            ++taken;
            continue;
        }
        index = mca_base_pvar_register("ompi", rows[i].framework, "monitoring", rows[i].name, rows[i].what,
                                       OPAL_INFO_LVL_4, rows[i].class, MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, NULL,
                                       MCA_BASE_VAR_BIND_MPI_COMM, MCA_BASE_PVAR_FLAG_READONLY, get, NULL,
                                       number_of_values, (void *)i);
        if (index < 0) ++taken;
    }
    values_of = values;
    return taken;
}
