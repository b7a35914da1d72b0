/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Which elements of an array a process has: a part of nereus.h, which includes it.
 */
#ifndef NEREUS_PARTS_H
#define NEREUS_PARTS_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How many elements of an array this process has.
 *
 * Local.
 *
 * @param[in] job   an open job
 * @param[in] name  of an array, a value or a part of a matrix, as it was registered
 *
 * @return number of elements, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT  the job is not open
 * @retval NEREUS_ERR_NAME      there is no such name
 */
NEREUS_API int64_t nereus_count(const nereus_job *job, const char *name);

/** Global number of this process' first element of an array.
 *
 * Local.
 *
 * @param[in] job,name  as for nereus_count()
 *
 * @return number of the element, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT     the job is not open
 * @retval NEREUS_ERR_NAME         there is no such name
 * @retval NEREUS_ERR_UNSUPPORTED  parts are no ranges (NEREUS_CYCLIC, NEREUS_GRID)
 */
NEREUS_API int64_t nereus_first(const nereus_job *job, const char *name);

/** Where an element lies.
 *
 * Local.
 *
 * @param[in]  job,name  as for nereus_count()
 * @param[in]  element   its number in the global array, 0 .. elements-1
 * @param[out] rank      the process whose part holds it, the calling one for NEREUS_REPLICATED; may be NULL
 *
 * @return its index in that part, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT  the job is not open
 * @retval NEREUS_ERR_NAME      there is no such name
 * @retval NEREUS_ERR_RANGE     the array has no such element
 */
NEREUS_API int64_t nereus_locate(const nereus_job *job, const char *name, int64_t element, int *rank);

/** nereus_locate() by its former name, until the next version.
 *
 * @param[in]  job,name,element  as for nereus_locate()
 * @param[out] rank              as for nereus_locate()
 *
 * @return as nereus_locate()
 */
NEREUS_API NEREUS_DEPRECATED("call nereus_locate()") int64_t
    nereus_place(const nereus_job *job, const char *name, int64_t element, int *rank);

/** The grid of processes of NEREUS_GRID where a distribution says nothing else: the most square one with rows <=
 * columns.
 *
 * Local. Rank r is in row r / columns and column r mod columns.
 *
 * @param[in]  ranks    number of processes, from 1
 * @param[out] rows     of the grid
 * @param[out] columns  of the grid
 *
 * @retval NEREUS_OK            both are set
 * @retval NEREUS_ERR_ARGUMENT  ranks is below 1, or a pointer is NULL
 */
NEREUS_API int nereus_grid(int ranks, int *rows, int *columns);

#ifdef __cplusplus
}
#endif

#endif
