/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What Open MPI sends of its own: the messages that it makes of collectives, of new communicators and windows.
 *
 * All messages of Open MPI go through one table of functions (its point-to-point layer, PML), whichever component
 * filled it. The table is changed behind MPI_Init and put back before MPI_Finalize, so that no list of components that
 * a user gives can switch this off in silence, as it can a component. Tags below 0 are Open MPI's own.
 */
#ifndef NEREUS_OPENMPI_MESSAGES_H
#define NEREUS_OPENMPI_MESSAGES_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Called for each message, before it is sent: `to` is a rank of the communicator. */
typedef void (*nereus_openmpi_message)(MPI_Comm comm, int to, size_t bytes);

/** From now on `seen` is called. Not thread-safe; behind MPI_Init. */
void nereus_openmpi_watch(nereus_openmpi_message seen);

/** No more. Not thread-safe; before MPI_Finalize. */
void nereus_openmpi_unwatch(void);

#ifdef __cplusplus
}
#endif

#endif
