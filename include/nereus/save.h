/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Epochs: all registered data, as it is at one checkpoint, saved in files, from which another job continues with any
 * number of processes (docs/reference/saving.md).
 *
 * `nereus run --save FOLDER` and `nereus save JOB` need no call of the program. A program that asks by itself, because
 * it knows when little is registered or when it is about to end, does it here.
 *
 * Founders of a job that continues (setting `resume`) find their data in place: nereus_generation() is above 0. They
 * register what the epoch has, in the same order, or are ended with a line on stderr that says what differs.
 */
#ifndef NEREUS_SAVE_H
#define NEREUS_SAVE_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Ask for an epoch: it is saved at a later checkpoint, in the folder of the setting `save`.
 *
 * Not collective: rank 0 decides. It takes effect as nereus_resize() does, after requests that were made before. If the
 * epoch cannot be saved then, the job goes on, and rank 0 says why on stderr.
 *
 * @param[in]  job      an open job
 * @param[in]  stop     not 0: nereus_checkpoint() returns NEREUS_LEAVE on all processes once the epoch is saved, and
 *                      nereus_close() is collective over all of them
 * @param[out] request  number of this request; may be NULL
 *
 * @retval NEREUS_OK              noted
 * @retval NEREUS_ERR_ROOT        called on a rank other than 0
 * @retval NEREUS_ERR_ARGUMENT    the job is not open
 * @retval NEREUS_ERR_UNSUPPORTED the setting `save` is empty, or the application moves data itself (nereus_on_resize())
 */
NEREUS_API int nereus_save(nereus_job *job, int stop, uint64_t *request);

#ifdef __cplusplus
}
#endif

#endif
