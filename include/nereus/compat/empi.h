/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface of FlexMPI on top of Nereus: docs/reference/compat.md.
 *
 * A program written for FlexMPI is compiled with this folder on the include path (`#include <empi.h>`) and linked with
 * libnereus_empi before MPI: that library has an MPI_Init(), an MPI_Init_thread() and an MPI_Finalize() of its own.
 * Names, constants and signatures are those of FlexMPI before ADMIRE (2025); what a call does is Nereus'.
 */
#ifndef NEREUS_COMPAT_EMPI_H
#define NEREUS_COMPAT_EMPI_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nereus/compat/export.h>

#ifdef __cplusplus
extern "C" {
#endif

static const int EMPI_root = 0;

#include <nereus/compat/empi_variables.h>

/** How an array is mapped: each process its rows, or all rows on each. */
static const int EMPI_DISJOINT = 674782;
static const int EMPI_SHARED = 617828;

static const int EMPI_NULL = 949998;

/** EMPI_Get_status(). */
static const int EMPI_ACTIVE = 776765;
static const int EMPI_REMOVED = 787634;

/** EMPI_Get_type(). */
static const int EMPI_SPAWNED = 938594;
static const int EMPI_NATIVE = 941490;

/** The present processes, from MPI_Init() on; MPI_COMM_NULL on a process that was removed. Changes in
 * EMPI_Monitor_end() only. */
NEREUS_COMPAT_API extern MPI_Comm EMPI_COMM_WORLD;

/** Process `rank` of `size` has rows [*disp, *disp + *count) of `dim`; the first (dim mod size) have one more.
 * *disp and *count are -1 and 0 on a process that was removed.
 * @param[out] vcounts, displs  of all processes, `size` entries each; may be NULL */
NEREUS_COMPAT_API void EMPI_Get_wsize(int rank, int size, int dim, int *disp, int *count, int *vcounts, int *displs);

/** @param[out] status  EMPI_ACTIVE or EMPI_REMOVED; may be NULL
 * @return the same (Martín et al. 2019, Algorithm 2, line 24); FlexMPI's own returns nothing */
NEREUS_COMPAT_API int EMPI_Get_status(int *status);
NEREUS_COMPAT_API void EMPI_Get_type(int *type);

/** A size x size matrix, row by row, and a vector of `size` elements, in memory of malloc(). Spawned processes
 * register theirs before EMPI_Get_shared() fills them. Collective, in the same order everywhere. */
NEREUS_COMPAT_API void EMPI_Register_dense(char *id, void *addr, MPI_Datatype datatype, int size, int mapping);
NEREUS_COMPAT_API void EMPI_Register_vector(char *id, void *addr, MPI_Datatype datatype, int size, int mapping);

/** EMPI_Register_vector(), as Martín et al. 2019 call it (Algorithm 2, line 6; they give no arguments). */
NEREUS_COMPAT_API void EMPI_Register(char *id, void *addr, MPI_Datatype datatype, int size, int mapping);

/** The number of rows that EMPI_Monitor_end() cuts; else that of the last EMPI_Get_wsize(). */
NEREUS_COMPAT_API void EMPI_Register_size(int size);

/** Collective. The memory is the application's again. */
NEREUS_COMPAT_API void EMPI_Deregister_shared(char *id);

/** The array on this process; to be asked for after each EMPI_Monitor_end(). NULL: there is none here. */
NEREUS_COMPAT_API void *EMPI_Get_addr(char *id);

/** Collective over the processes of one resize. Fills what a spawned process has registered.
 * @param[out] it  the iteration to go on with; 0 on a native process */
NEREUS_COMPAT_API void EMPI_Get_shared(int *it);

/** EMPI_Get_shared(), as Martín et al. 2019 call it (Algorithm 2, line 7; they give no arguments). */
NEREUS_COMPAT_API void EMPI_Get_shared_data(int *it);

NEREUS_COMPAT_API void *EMPI_malloc(size_t size);
NEREUS_COMPAT_API void *EMPI_calloc(size_t nmemb, size_t size);
/** Frees `addr`; the array `id`, which has it, is no longer kept. After the last EMPI_Monitor_end(). */
NEREUS_COMPAT_API void EMPI_free(void *addr, char *id);

NEREUS_COMPAT_API void EMPI_Monitor_init(void);

/** Collective, at the end of each iteration: here the job may get another size.
 *
 * @param[out]    rank, size  of this process in EMPI_COMM_WORLD
 * @param[in]     iter        the iteration that ends, from 0; newcomers go on with iter + 1
 * @param[out]    count, disp as of EMPI_Get_wsize()
 * @param[in,out] vcount, vdisp  of malloc(); get another length after a resize; may be NULL, and may point to NULL
 * @param[in]     fc          not looked at: rows are cut equally
 * @param[in]     argv, bin   not looked at: newcomers run this program with its arguments
 */
NEREUS_COMPAT_API void EMPI_Monitor_end(int *rank, int *size, int iter, int maxiter, int *count, int *disp,
                                        int **vcount, int **vdisp, int *fc, char *argv[], char *bin);

/** Wall time since MPI_Init(), in seconds. */
NEREUS_COMPAT_API void EMPI_Get_exec_time(double *extime);

/** A size x size matrix by rows, in memory of malloc(): `addr_row` has one number more than this process has rows and
 * begins with 0, `addr_col` has columns (int), `addr_val` values. Spawned processes register theirs, of which no
 * pointer is looked at, before EMPI_Get_shared(). Collective, in the same order everywhere.
 * @param nnz  not looked at */
NEREUS_COMPAT_API void EMPI_Register_sparse(char *id, void *addr_row, void *addr_col, void *addr_val,
                                            MPI_Datatype datatype, int size, int nnz);

/** Its rows on this process; to be asked for after each EMPI_Monitor_end(). NULL: there is none here. */
NEREUS_COMPAT_API void EMPI_Get_addr_sparse(char *id, void **addr_row, void **addr_col, void **addr_val);

/** Nereus does not measure what a program computes and communicates, and predicts no costs: 0, reported once. */
NEREUS_COMPAT_API void EMPI_Get_aggregated_tcomm(double *tcomm);
NEREUS_COMPAT_API void EMPI_Get_aggregated_tcomp(double *tcomp);
NEREUS_COMPAT_API void EMPI_Rdata_spawn_cost(int size, int nprocs, double *cost);
NEREUS_COMPAT_API void EMPI_Rdata_remove_cost(int size, int nprocs, double *cost);

/** Sizes come from outside (`nereus resize JOB N`, NEREUS_EMPI_SCHEDULE) and rows are cut equally: these do nothing,
 * reported once. EMPI_Get_minprocs() sets 1. */
NEREUS_COMPAT_API void EMPI_Get_minprocs(int *nprocs);
NEREUS_COMPAT_API void EMPI_Set_maxprocs(int nprocs);
NEREUS_COMPAT_API void EMPI_Set_policy(int policy);
NEREUS_COMPAT_API void EMPI_Set_niter(int niter);
NEREUS_COMPAT_API void EMPI_Set_lbpolicy(int lbpolicy);
NEREUS_COMPAT_API void EMPI_Enable_lbalance(void);
NEREUS_COMPAT_API void EMPI_Disable_lbalance(void);
/** @return EMPI_ERROR */
NEREUS_COMPAT_API int EMPI_Spawn(int nprocs, char *argv[], char *bin, int *hostid, MPI_Info *info);
NEREUS_COMPAT_API int EMPI_Remove(int nprocs, int *rank);

/** Arrays are allocated when they are registered. @return of the second: 1, they are */
NEREUS_COMPAT_API void EMPI_alloc(void);
NEREUS_COMPAT_API int EMPI_status_alloc(void);

#ifdef __cplusplus
}
#endif

#endif
