/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the stages of an iteration take, measured where the application says that one begins and ends.
 *
 * With the setting `results` rank 0 writes a file that holds, for each generation, the seconds of each stage on each
 * process (docs/formats/measured.md). `nereus emulate --from FILE` makes an experiment of it. Without the setting a
 * begin and an end cost some nanoseconds, so that the calls can stay in.
 *
 * Stages: Martín-Álvarez et al. 2024, section 4.1.
 */
#ifndef NEREUS_STAGES_H
#define NEREUS_STAGES_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a stage does, and so by what an emulation stands in for it. */
enum nereus_stage_kind {
    NEREUS_STAGE_COMPUTE = 0,   /**< computes, bound by the core */
    NEREUS_STAGE_MEMORY = 1,    /**< computes, bound by memory */
    NEREUS_STAGE_P2P = 2,       /**< exchanges messages with neighbours */
    NEREUS_STAGE_BCAST = 3,     /**< MPI_Bcast */
    NEREUS_STAGE_ALLGATHER = 4, /**< MPI_Allgather or MPI_Allgatherv */
    NEREUS_STAGE_REDUCE = 5,    /**< MPI_Reduce */
    NEREUS_STAGE_ALLREDUCE = 6, /**< MPI_Allreduce */
    NEREUS_STAGE_WRITE = 7,     /**< writes files */
    NEREUS_STAGE_READ = 8       /**< reads files */
};

/** A stage of the application begins on this process.
 *
 * Not collective. One stage is open at a time; one that is still open at a checkpoint is dropped. A stage may begin and
 * end several times in an iteration: its times are added.
 *
 * @param[in] job    an open job
 * @param[in] name   1..63 characters; the same kind whenever it begins
 * @param[in] kind   what it does
 * @param[in] bytes  of one operation, 0 .. 2^62: of a message or a process' file; of all processes together for
 *                   NEREUS_STAGE_ALLGATHER; 0 for what computes
 *
 * @retval NEREUS_OK            it has begun
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above, or the stage had another kind before
 * @retval NEREUS_ERR_STATE     another stage is open
 */
NEREUS_API int nereus_stage_begin(nereus_job *job, const char *name, enum nereus_stage_kind kind, int64_t bytes);

/** Floating-point operations of an iteration, of all processes together, as the application counts them.
 *
 * Not collective, and only rank 0's call counts: call it on all processes where iterations begin and after each resize.
 * With a daemon, operations and times give the job's flop/s (Singh and Carretero 2019, section 4.1).
 *
 * @param[in] job         an open job
 * @param[in] operations  of each iteration from now on, 0 .. 1e24; 0: not known
 *
 * @retval NEREUS_OK            noted
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above
 */
NEREUS_API int nereus_operations(nereus_job *job, double operations);

/** The open stage ends.
 *
 * Not collective.
 *
 * @param[in] job  an open job
 *
 * @retval NEREUS_OK            it has ended
 * @retval NEREUS_ERR_ARGUMENT  the job is not open
 * @retval NEREUS_ERR_STATE     no stage is open
 */
NEREUS_API int nereus_stage_end(nereus_job *job);

#ifdef __cplusplus
}
#endif

#endif
