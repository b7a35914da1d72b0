/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Whether the program called, or Open MPI itself: below MPI's interface both look alike.
 */
#ifndef NEREUS_OPENMPI_CALLER_H
#define NEREUS_OPENMPI_CALLER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Whether `address`, to which a function returns, lies in a function of MPI's interface: in MPI_`name`, or in any
 * that sends from one process to another where that is NULL. The same address must always be asked about with the same
 * name. */
bool nereus_openmpi_is_in_call(const void *address, const char *name);

#ifdef __cplusplus
}
#endif

#endif
