/* SPDX-License-Identifier: BSD-3-Clause */
/* All that this MPI declares, extensions too: preprocessed, it is read by generate.py and seen by its wrappers. */
#include <mpi.h>
#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif
