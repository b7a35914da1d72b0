/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What Open MPI sends: for itself, as it does for collectives and new communicators, and for the program.
 *
 * All messages of Open MPI go through one table of functions (its point-to-point layer, PML), whichever component
 * filled it. The table is changed behind MPI_Init and put back before MPI_Finalize, so that no list of components that
 * a user gives can switch this off in silence, as it can a component. Tags below 0 are Open MPI's own.
 */
#ifndef NEREUS_OPENMPI_MESSAGES_H
#define NEREUS_OPENMPI_MESSAGES_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Called for each message of Open MPI, before it is sent: `to` is a rank of the communicator. */
typedef void (*nereus_openmpi_message)(MPI_Comm comm, int to, size_t bytes);

/** Whether Open MPI's own monitoring is on: its component sends. */
bool nereus_openmpi_monitors_itself(void);

/** From now on `seen` is called. Not thread-safe; behind MPI_Init. */
void nereus_openmpi_watch(nereus_openmpi_message seen);

/** No more. Not thread-safe; before MPI_Finalize. */
void nereus_openmpi_unwatch(void);

/** Called for each message of the program, behind the call that sent it. */
typedef void (*nereus_openmpi_sent)(MPI_Comm comm, int to, size_t bytes);

/** Called where the program made a persistent request to send. */
typedef void (*nereus_openmpi_to_be_sent)(MPI_Comm comm, int to, size_t bytes, MPI_Request *request);

/** While messages are watched: those of the program too; NULL, NULL ends it. Not thread-safe. */
void nereus_openmpi_watch_program(nereus_openmpi_sent sent, nereus_openmpi_to_be_sent to_be_sent);

/** Starts as many persistent requests. */
typedef int (*nereus_openmpi_start)(size_t number, MPI_Request *requests);

/** Has `start` called in the place of what starts the request, which is returned. */
nereus_openmpi_start nereus_openmpi_stand_before(MPI_Request request, nereus_openmpi_start start);

#ifdef __cplusplus
}
#endif

#endif
