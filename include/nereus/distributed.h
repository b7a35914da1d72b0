/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Arrays that get another distribution without a resize, those of a job and others: a part of nereus.h, which includes
 * it.
 */
#ifndef NEREUS_DISTRIBUTED_H
#define NEREUS_DISTRIBUTED_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Give a registered array another distribution over the processes of the job: another layout, other blocks or weights.
 *
 * Collective. Its pointer, nereus_count(), nereus_first() and nereus_locate() are those of the new parts afterwards.
 * Old and new parts exist side by side meanwhile, as in a resize; of arrays in shared memory only ranges change where
 * the new layout is contiguous too. One whose layout cannot lie there moves to memory of its processes, and comes back
 * with one that can. Of arrays in memory of the application, new parts come from its function `allocate`, and old ones
 * go to `release`. All arguments must be the same on all processes. A resize that has begun to send constant arrays is
 * rolled back, whatever is returned.
 *
 * Newcomers, and programs that continue from an epoch, register the array as the program does when it starts, and get
 * it as it is distributed now: nereus_array_distribution() says how. A newcomer that has not registered all that the
 * job has does not return: it says so on stderr and ends the job.
 *
 * @param[in] job           an open job
 * @param[in] name          of an array; not of a value, nor of a matrix, whose rows are distributed with their nonzeros
 * @param[in] distribution  of the same elements; copied. As for nereus_redistribute(), two matrices must have the same
 *                          sides, and blocks in turn that become a matrix or come from one may be 2^20 at most
 *
 * @retval NEREUS_OK            it is distributed so
 * @retval NEREUS_UNCHANGED     it was already; rows that were balanced stay so
 * @retval NEREUS_ERR_NAME      there is no such array
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or distribution is NULL or not allowed for this array
 * @retval NEREUS_ERR_UNSUPPORTED  name is a part of a matrix
 * @retval NEREUS_ERR_MISMATCH  arguments, or what is registered, are not the same on all
 * @retval NEREUS_ERR_STATE     a registered pointer shows something else than its part
 * @retval NEREUS_ERR_MEMORY    no memory for the new part of some process
 * @retval NEREUS_ERR_TRANSFER,NEREUS_ERR_TIMEOUT  data did not arrive as it was sent, or not in time: settings
 *                              `answer-timeout` and `slowest-rate`
 * @retval NEREUS_ERR_MPI       a call failed
 *
 * Errors are those of all processes, and the array is as it was; nereus_message() says what is wrong.
 */
NEREUS_API int nereus_change_distribution(nereus_job *job, const char *name, const nereus_distribution *distribution);

/** How a registered array is distributed now.
 *
 * Local.
 *
 * @param[in]  job           an open job
 * @param[in]  name          of an array
 * @param[out] distribution  what it has; fields of other layouts have their defaults. Weights belong to the job, until
 *                           the next call for this array or the end of the job; where rows were balanced since,
 *                           nereus_first() and nereus_count() say where they are
 *
 * @retval NEREUS_OK            done
 * @retval NEREUS_ERR_NAME      there is no such array
 * @retval NEREUS_ERR_UNSUPPORTED  it is a part of a matrix, which lies as the rows do
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or distribution is NULL
 */
NEREUS_API int nereus_array_distribution(nereus_job *job, const char *name, nereus_distribution *distribution);

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

/** The processes of a new distribution, in the order in which most elements stay where they are.
 *
 * Local; needs no MPI: the same on all processes that give the same. The optimum, as in COSTA (Kabić et al. 2021), but
 * for distributions so irregular that it is not found in 10^8 steps. Where no order keeps more, it is that of `to`.
 *
 * @param[in]  elements  of the array, from 0; times from->processes below 2^61
 * @param[in]  size      processes of the communicator, from 1
 * @param[in]  from      how it is distributed
 * @param[in]  to        how it is to be distributed, over processes of any order; two matrices have the same sides
 * @param[out] ranks     room for to->processes numbers: the ranks of `to`, in another order
 *
 * @return elements that are on their processes already and are not sent, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above, or outside what nereus_redistribute() takes
 * @retval NEREUS_ERR_MEMORY    no memory
 */
NEREUS_API int64_t nereus_distributed_relabel(int64_t elements, int size, const nereus_distributed *from,
                                              const nereus_distributed *to, int *ranks);

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

/** Transpose a matrix, and move it to another distribution: other processes, other blocks, another grid.
 *
 * Collective over `comm`, as nereus_redistribute(). Row i, column j of the old matrix becomes row j, column i of the
 * new one, which has as many rows as the old one has columns. Parts are transposed where more processes have them, in
 * memory of the size of the part, and sent as in nereus_redistribute().
 *
 * @param[in]  comm      an intra-communicator
 * @param[in]  type      as for nereus_redistribute(); elements stay as they are (no conjugates)
 * @param[in]  from      how the matrix is distributed: NEREUS_GRID
 * @param[in]  old_part  what this process has of it; not looked at where it is not among `from`
 * @param[in]  to        how the transposed matrix is to be distributed: NEREUS_GRID, its `rows` are `columns` of `from`
 * @param[out] new_part  room for what it is to have, which does not overlap `old_part`; not looked at where it is not
 *                       among `to`
 *
 * @retval NEREUS_OK            all that this process is to have is in `new_part`
 * @retval NEREUS_ERR_ARGUMENT  as from nereus_redistribute(), or a layout is another one, or sides do not match
 * @retval NEREUS_ERR_MISMATCH  as from nereus_redistribute()
 * @retval NEREUS_ERR_MEMORY    no memory for the plan or the transposed part of some process, as there
 * @retval NEREUS_ERR_MPI       as there
 */
NEREUS_API int nereus_transpose(MPI_Comm comm, MPI_Datatype type, const nereus_distributed *from, const void *old_part,
                                const nereus_distributed *to, void *new_part);

#ifdef __cplusplus
}
#endif

#endif
