/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What components of Open MPI tell the sensor where it is not preloaded (preload/monitor/openmpi/components): the same
 * that its wrappers would see, from below MPI's interface. Implemented in the library; the components are linked with
 * it.
 *
 * What the coll component tells, one function for each collective, is made by generate_components.py.
 */
#ifndef NEREUS_PMPI_COMPONENTS_H
#define NEREUS_PMPI_COMPONENTS_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether components are to tell anything: 0 where the wrappers are preloaded, or the user wants no record. */
int nereus_components_wanted(void);

enum nereus_component { NEREUS_COLL, NEREUS_OSC, NEREUS_COMPONENTS };

/** In MPI_Init: a list of components that a user gives may leave one out. */
void nereus_component_is_there(enum nereus_component which);

/** At the end of MPI_Init. */
void nereus_components_begin(void);

/** At the beginning of MPI_Finalize. */
void nereus_components_end(void);

/** Whether what returns to `address` was called in the program's call of MPI_`name`: collectives that others are made
 * of, or that Open MPI needs itself, come in the same way. */
int nereus_seen_is_of_program(const void *address, const char *name);

void nereus_seen_put(MPI_Win window, int target, size_t bytes);
void nereus_seen_get(MPI_Win window, int target, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif
