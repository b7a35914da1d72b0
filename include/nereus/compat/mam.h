/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * The interface of MaM, the malleability library of Proteo, on top of Nereus: docs/reference/compat.md.
 *
 * A program written for MaM is compiled with this folder on the include path (`#include "MAM.h"`) and linked with
 * libnereus_mam. Names, constants and signatures are those of MaM as of 2026; what a call does is Nereus'.
 */
#ifndef NEREUS_COMPAT_MAM_H
#define NEREUS_COMPAT_MAM_H

#include <mpi.h>
#include <stddef.h>

#include <nereus/compat/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MAM_DENIED -1
#define MAM_OK 0

#define MAM_SOURCES 0
#define MAM_TARGETS 1

#define MAM_CHECK_COMPLETION 0
#define MAM_WAIT_COMPLETION 1

#define MAM_DATA_DISTRIBUTED 0
#define MAM_DATA_REPLICATED 1
#define MAM_DATA_VARIABLE 0
#define MAM_DATA_CONSTANT 1

#define MAM_STRAT_CLEAR_VALUE 0
#define MAM_STRATS_ADDED 1
#define MAM_STRATS_MODIFIED 2

#define MAM_MASK_PTHREAD 0x01
#define MAM_MASK_SPAWN_SINGLE 0x02
#define MAM_MASK_SPAWN_INTERCOMM 0x04
#define MAM_MASK_SPAWN_MULTIPLE 0x08
#define MAM_MASK_SPAWN_PARALLEL 0x10
#define MAM_MASK_RED_WAIT_SOURCES 0x02
#define MAM_MASK_RED_WAIT_TARGETS 0x04

#define MAM_SPAWN_METHOD_ENV "MAM_SPAWN_METHOD"
#define MAM_SPAWN_STRATS_ENV "MAM_SPAWN_STRATS"
#define MAM_PHYSICAL_DISTRIBUTION_METHOD_ENV "MAM_PHYSICAL_DISTRIBUTION_METHOD"
#define MAM_RED_METHOD_ENV "MAM_RED_METHOD"
#define MAM_RED_STRATS_ENV "MAM_RED_STRATS"
#define MAM_NUM_TARGETS_ENV "MAM_NUM_TARGETS"

/** Where a reconfiguration stands. */
enum mam_states { MAM_UNRESERVED, MAM_NOT_STARTED, MAM_PENDING, MAM_USER_PENDING, MAM_COMPLETED };

/** What becomes of a process. */
enum mam_proc_states { MAM_PROC_CONTINUE, MAM_PROC_NEW_RANK, MAM_PROC_ZOMBIE };

enum mam_spawn_methods { MAM_SPAWN_BASELINE, MAM_SPAWN_MERGE, MAM_METHODS_SPAWN_LEN };

enum mam_spawn_strategies {
    MAM_STRAT_SPAWN_CLEAR,
    MAM_STRAT_SPAWN_PTHREAD,
    MAM_STRAT_SPAWN_SINGLE,
    MAM_STRAT_SPAWN_INTERCOMM,
    MAM_STRAT_SPAWN_MULTIPLE,
    MAM_STRAT_SPAWN_PARALLEL,
    MAM_STRATS_SPAWN_LEN
};

enum mam_phy_dist_methods { MAM_PHY_DIST_SPREAD = 1, MAM_PHY_DIST_COMPACT, MAM_METHODS_PHYSICAL_DISTRIBUTION_LEN };

enum mam_redistribution_methods {
    MAM_RED_BASELINE,
    MAM_RED_POINT,
    MAM_RED_RMA_LOCK,
    MAM_RED_RMA_LOCKALL,
    MAM_METHODS_RED_LEN
};

enum mam_red_strategies {
    MAM_STRAT_RED_CLEAR,
    MAM_STRAT_RED_PTHREAD,
    MAM_STRAT_RED_WAIT_SOURCES,
    MAM_STRAT_RED_WAIT_TARGETS,
    MAM_STRATS_RED_LEN
};

enum mam_key_values {
    MAM_SPAWN_METHOD,
    MAM_SPAWN_STRATEGIES,
    MAM_PHYSICAL_DISTRIBUTION,
    MAM_RED_METHOD,
    MAM_RED_STRATEGIES,
    MAM_NUM_TARGETS,
    MAM_KEY_COUNT
};

/** A reconfiguration as the user's function sees it. */
typedef struct {
    int numS;       /**< sources */
    int numT;       /**< targets */
    int rank_state; /**< enum mam_proc_states of this process */
    MPI_Comm comm;  /**< all sources and targets, the sources first; valid in the user's function */
} mam_user_reconf_t;

/** Collective over *comm. Targets return when their reconfiguration is done. @return MAM_SOURCES, MAM_TARGETS */
NEREUS_COMPAT_API int MAM_Init(int root, MPI_Comm *comm, char *name_exec, void (*user_function)(void *),
                               void *user_args);

/** Collective. @return MAM_OK: nothing has to be aborted */
NEREUS_COMPAT_API int MAM_Finalize(void);

/** Collective. Begins a reconfiguration, or takes the one that is under way further; processes that are not wanted
 * any more end in it. @return MAM_OK; MAM_DENIED where the reconfiguration cannot be or was rolled back, stderr says
 * why */
NEREUS_COMPAT_API int MAM_Checkpoint(int *mam_state, int wait_completed, void (*user_function)(void *),
                                     void *user_args);

/** For the user's function: it has moved its data. */
NEREUS_COMPAT_API void MAM_Resume_redistribution(int *mam_state);

/** For the user's function. @return MAM_OK, MAM_DENIED outside it */
NEREUS_COMPAT_API int MAM_Get_Reconf_Info(mam_user_reconf_t *reconf_info);

/** Collective. Types are predefined ones. @param[out] index  may be NULL */
NEREUS_COMPAT_API void MAM_Data_add(void *data, size_t *index, size_t total_qty, MPI_Datatype type, int is_replicated,
                                    int is_constant);

/** Collective. */
NEREUS_COMPAT_API void MAM_Data_modify(void *data, size_t index, size_t total_qty, MPI_Datatype type, int is_replicated,
                                       int is_constant);

NEREUS_COMPAT_API void MAM_Data_get_entries(int is_replicated, int is_constant, size_t *entries);

/** *data is the application's, to be given to free(). Any of data, total_qty and type may be NULL. */
NEREUS_COMPAT_API void MAM_Data_get_pointer(void **data, size_t index, size_t *total_qty, MPI_Datatype *type,
                                            int is_replicated, int is_constant);

/** Strategies are ordinals of the enums above; 0 clears. */
NEREUS_COMPAT_API void MAM_Set_configuration(int spawn_method, int spawn_strategies, int spawn_dist, int red_method,
                                             int red_strategies);

/** @param[out] provided  of strategies MAM_STRATS_ADDED, MAM_STRATS_MODIFIED, 0 or MAM_DENIED, else the key's value;
 *  may be NULL */
NEREUS_COMPAT_API void MAM_Set_key_configuration(int key, int required, int *provided);

/** @return MAM_OK, MAM_DENIED */
NEREUS_COMPAT_API int MAM_Set_target_number(unsigned int targets);

/** @param[out] result  1: strategy, an ordinal, is set; may be NULL @return MAM_OK, MAM_DENIED */
NEREUS_COMPAT_API int MAM_Contains_strat(int key, unsigned int strategy, int *result);

/** Seconds of the last reconfiguration; any may be NULL. */
NEREUS_COMPAT_API void MAM_Retrieve_times(double *rms, double *spawn, double *sync, double *async, double *user,
                                          double *malleability);

void MAM_Use_valgrind(int flag) NEREUS_COMPAT_UNAVAILABLE("Nereus starts the running program itself, in no tool");
void MAM_Use_extrae(int flag) NEREUS_COMPAT_UNAVAILABLE("Nereus starts the running program itself, in no tool");

#ifdef __cplusplus
}
#endif

#endif
