/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Sparse matrices: a part of nereus.h, which includes it.
 */
#ifndef NEREUS_MATRIX_H
#define NEREUS_MATRIX_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The rows of a sparse matrix that this process has, in compressed form (CSR). The library sets all fields. */
typedef struct nereus_matrix {
    int64_t rows;          /**< rows of this process */
    int64_t first_row;     /**< global number of the first one */
    int64_t nonzeros;      /**< stored elements of these rows */
    int64_t first_nonzero; /**< how many the rows before have: global number of the first one */
    int64_t *starts;       /**< rows + 1 global numbers: row i has the nonzeros from starts[i] to before starts[i+1] */
    int64_t *columns;      /**< column of nonzero number k: columns[k - first_nonzero]; NULL when there is none */
    void *values;          /**< its value, in the same place; NULL when there is none */
} nereus_matrix;

/** Register a sparse matrix whose memory the library owns. Its rows move with their columns and values.
 *
 * Collective. A founder gets zeroed memory. It fills `starts`, counting from first_nonzero, and `columns` before its
 * next nereus_checkpoint(), and leaves them so: they are sent as constant data. The first and the last of `starts` may
 * be memory that a neighbour uses too: no other number than the right one is ever written there. A newcomer makes the
 * same call and gets its rows. starts[0] == first_nonzero and starts[rows] == first_nonzero + nonzeros always hold.
 *
 * At each resize every source looks at its starts: where they fall, or do not fit its nonzeros, the resize is rolled
 * back with NEREUS_ERR_MISMATCH, which names matrix and row.
 *
 * @param[in]     job       an open job
 * @param[in]     name      as for nereus_array(). In nereus_count(), nereus_first() and nereus_locate() it stands for
 *                          `starts`, NAME/columns and NAME/values for the others
 * @param[in]     type      of values; as for nereus_array()
 * @param[in]     rows      of the whole matrix, 0 .. 2^59
 * @param[in]     nonzeros  founders: in the rows of this process. Which rows these are tell nereus_first() and
 *                          nereus_count() of a vector that is distributed alike; newcomers: not looked at
 * @param[in]     distribution  of the rows: NULL for NEREUS_BLOCK, or one with NEREUS_BLOCK or NEREUS_WEIGHTED;
 *                          copied
 * @param[in]     kind      when `values` may be sent
 * @param[in,out] matrix    set, and again whenever nereus_checkpoint() returns NEREUS_RESIZED; must stay valid until
 *                          nereus_close()
 *
 * @return as nereus_array()
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above; on all processes where one passes fewer than 0
 *                              nonzeros, or all together pass more than 2^62 or 2^63 bytes
 */
NEREUS_API int nereus_matrix_csr(nereus_job *job, const char *name, MPI_Datatype type, int64_t rows, int64_t nonzeros,
                                 const nereus_distribution *distribution, enum nereus_kind kind, nereus_matrix *matrix);

#ifdef __cplusplus
}
#endif

#endif
