/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of performance variables as MPI_T has them (MPI 4.0, section 15.3.7; Bosilca et al. 2017, Fig. 1): from 0 when
 * a handle is allocated, and counted while it runs.
 *
 * Open MPI does this itself for the classes counter and aggregate. For the class size it asks the variable, without
 * saying for which handle: so handles of one variable and one communicator have their values in common. They begin at 0
 * with the first of these handles, and count while any of them runs. Called under Open MPI's lock of MPI_T.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads what was counted since MPI_Init; false: nothing is recorded. */
typedef bool (*nereus_read_all)(int variable, void *comm, unsigned long long *values);

void nereus_handle_is_bound(int variable, void *comm, size_t number);
void nereus_handle_is_freed(int variable, void *comm);
void nereus_handle_starts(int variable, void *comm, nereus_read_all read);
void nereus_handle_stops(int variable, void *comm, nereus_read_all read);

/* Writes the values of all handles that are bound to both. False: they cannot be read, or there is no memory. */
bool nereus_read_since_start(int variable, void *comm, nereus_read_all read, unsigned long long *values);
