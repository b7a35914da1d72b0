/* SPDX-License-Identifier: BSD-3-Clause */
/* What this process sent, as performance variables of MPI_T, under the names that Open MPI's own monitoring gives them
 * and some more. Source: Bosilca et al. 2017, section 5; the names in ompi/mca/{pml,osc,coll}/monitoring.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value for each rank of the communicator to which a handle is bound, but for the sums of collectives: those have
 * one value, and the sizes, which have NEREUS_OPENMPI_SIZES for each rank. */
enum nereus_openmpi_variable {
    NEREUS_PML_COUNT,
    NEREUS_PML_SIZE,
    NEREUS_INTERNAL_COUNT,
    NEREUS_INTERNAL_SIZE,
    NEREUS_PML_SIZES,
    NEREUS_INTERNAL_SIZES,
    NEREUS_OSC_SENT_COUNT,
    NEREUS_OSC_SENT_SIZE,
    NEREUS_OSC_RECEIVED_COUNT,
    NEREUS_OSC_RECEIVED_SIZE,
    NEREUS_COLL_COUNT,
    NEREUS_COLL_SIZE,
    NEREUS_O2A_COUNT,
    NEREUS_O2A_SIZE,
    NEREUS_A2O_COUNT,
    NEREUS_A2O_SIZE,
    NEREUS_A2A_COUNT,
    NEREUS_A2A_SIZE
};

enum { NEREUS_OPENMPI_SIZES = 65 };

/* Writes all values of a variable. Returns false where nothing is recorded. */
typedef bool (*nereus_openmpi_values)(enum nereus_openmpi_variable which, MPI_Comm comm, unsigned long long *values);

typedef struct {
    nereus_openmpi_values values;
    /* A handle of pml_monitoring_flush was started. */
    void (*begin_flush)(void);
    /* It was stopped: what was sent since is to be written to NAME.RANK.prof, unless the name is "". */
    void (*end_flush)(const char *name);
} nereus_openmpi_readers;

/* Makes the variables known to MPI_T; they are there until the process ends, and cannot be read without a record.
 * Returns false where Open MPI's own monitoring is on, whose names they have. */
bool nereus_openmpi_show(const nereus_openmpi_readers *readers);

#ifdef __cplusplus
}
#endif
