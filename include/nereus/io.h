/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * I/O phases of one of many jobs: where a daemon runs (`nereus daemon`), it says when each job may write, so that
 * jobs do not disturb one another at a store that they share.
 *
 * Without a daemon the calls cost some nanoseconds. With one, an I/O phase waits for its turn for as long as the daemon
 * answers; when it has not for the setting `io-timeout` (2 s), the phase begins without. The daemon learns how long a
 * job waited and wrote, and predicts from this when it will write next.
 *
 * Parallel I/O scheduling: Singh and Carretero 2019, section 3, after CLARISSE.
 */
#ifndef NEREUS_IO_H
#define NEREUS_IO_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The processes are about to write, or read, together: waits for the job's turn.
 *
 * Collective over the job. Between two checkpoints: a phase must be ended before the next nereus_checkpoint().
 *
 * @param[in] job    an open job
 * @param[in] bytes  that this process will write or read, 0 .. 2^40; 0 where it is not known
 *
 * @retval NEREUS_OK            it is this job's turn, or there is no daemon
 * @retval NEREUS_NO_TURN       the daemon does not answer; write all the same
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above
 * @retval NEREUS_ERR_STATE     a phase is open already
 * @retval NEREUS_ERR_MPI       an MPI call failed
 */
NEREUS_API int nereus_io_begin(nereus_job *job, int64_t bytes);

/** The phase is over, on all processes when this returns on rank 0: another job may write.
 *
 * Collective over the job.
 *
 * @param[in] job  an open job
 *
 * @retval NEREUS_OK            the phase is over
 * @retval NEREUS_ERR_ARGUMENT  the job is not open
 * @retval NEREUS_ERR_STATE     no phase is open
 * @retval NEREUS_ERR_MPI       an MPI call failed
 */
NEREUS_API int nereus_io_end(nereus_job *job);

#ifdef __cplusplus
}
#endif

#endif
