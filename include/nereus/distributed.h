/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Arrays that get another distribution without a job and without a resize: a part of nereus.h, which includes it.
 */
#ifndef NEREUS_DISTRIBUTED_H
#define NEREUS_DISTRIBUTED_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An array as it is distributed over some or all processes of a communicator. */
typedef struct nereus_distributed {
    const nereus_distribution *distribution; /**< the layout with what it needs */
    int processes;                           /**< over how many it is distributed, from 1 */
    const int *ranks; /**< of each of them, its rank in the communicator, no two alike; NULL: 0 .. processes-1 */
} nereus_distributed;

/** How many elements of an array a process has.
 *
 * Local; needs no MPI. The array must not have more than 2^62 elements.
 *
 * @param[in] distribution  the layout with what it needs
 * @param[in] elements      of the array, 0 .. 2^62; for NEREUS_GRID rows * columns
 * @param[in] processes     over how many it is distributed, from 1
 * @param[in] number        of the process among them, 0 .. processes-1
 *
 * @return number of elements, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above
 */
NEREUS_API int64_t nereus_distributed_count(const nereus_distribution *distribution, int64_t elements, int processes,
                                            int number);

/** Where an element lies.
 *
 * Local; needs no MPI.
 *
 * @param[in]  distribution,elements,processes  as for nereus_distributed_count()
 * @param[in]  element  its number in the array, 0 .. elements-1
 * @param[out] number   of the process that has it among them, 0 for NEREUS_REPLICATED; may be NULL
 *
 * @return its index in the part of that process, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above
 * @retval NEREUS_ERR_RANGE     the array has no such element
 */
NEREUS_API int64_t nereus_distributed_locate(const nereus_distribution *distribution, int64_t elements, int processes,
                                             int64_t element, int *number);

/** Move an array from one distribution to another one: other processes, another layout, other blocks or weights.
 *
 * Collective over `comm`, also over processes that are on neither side. No job is needed, and none is changed. Messages
 * of the application are not seen: the first call for `comm` makes another communicator of the same processes, which is
 * freed with it. All arguments but the parts must be the same on all. Blocking; what is under way takes 64 MiB of
 * memory at most on each process.
 *
 * Each process that is to have an element gets it once, from the one that has it, or copies its own. Of
 * NEREUS_REPLICATED, those that have a copy take all from there, and the others each from one process.
 *
 * Layouts are any two. Where NEREUS_CYCLIC of several processes becomes NEREUS_GRID with several columns of processes,
 * or the other way round, it may have 2^20 blocks at most: the plan takes some 100 bytes of memory for each block.
 *
 * The plan is that of Proteo's redistributions (Martín-Álvarez et al. 2024, section 4.3) for two layouts instead of two
 * sizes; strided elements are packed and unpacked by Nereus.
 *
 * @param[in]  comm      an intra-communicator
 * @param[in]  type      predefined or derived type with lower bound 0; elements travel as the bytes of its extent
 * @param[in]  elements  of the array, 0 .. 2^62, fewer than 2^63 bytes in all; for NEREUS_GRID rows * columns. Two
 *                       matrices must have the same sides
 * @param[in]  from      how it is distributed
 * @param[in]  old_part  what this process has of it: nereus_distributed_count() elements; not looked at where it is not
 *                       among `from`
 * @param[in]  to        how it is to be distributed
 * @param[out] new_part  room for what it is to have, which does not overlap `old_part`; not looked at where it is not
 *                       among `to`
 *
 * @retval NEREUS_OK            all that this process is to have is in `new_part`
 * @retval NEREUS_ERR_ARGUMENT  an argument of some process is outside the above: returned on all, after a line on the
 *                              first such process' stderr; nothing was moved. Where it is `comm`, others may wait
 * @retval NEREUS_ERR_MISMATCH  arguments are not the same on all: a line on rank 0's stderr; nothing was moved
 * @retval NEREUS_ERR_MEMORY    no memory for the plan of some process: returned on all, and nothing was moved. Where it
 *                              is missing later: on this process alone, and others may wait
 * @retval NEREUS_ERR_MPI       MPI is not running, or a call failed: parts may have been written; call it no more for
 *                              `comm`
 */
NEREUS_API int nereus_redistribute(MPI_Comm comm, MPI_Datatype type, int64_t elements, const nereus_distributed *from,
                                   const void *old_part, const nereus_distributed *to, void *new_part);

#ifdef __cplusplus
}
#endif

#endif
