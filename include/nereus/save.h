/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Epochs: all registered data, as it is at one checkpoint, saved in files, from which another job continues with any
 * number of processes (docs/reference/saving.md).
 *
 * `nereus run --save FOLDER` and `nereus save JOB` need no call of the program. A program that asks by itself, because
 * it knows when little is registered or when it is about to end, does it here. So does one that keeps epochs in memory.
 *
 * Founders of a job that continues (setting `resume`) find their data in place: nereus_generation() is above 0. They
 * register what the epoch has, in the same order, or are ended with a line on stderr that says what differs.
 *
 * Data that is no array takes part by nereus_on_save(). A program that has such data, and moves it in resizes by
 * nereus_on_resize(), cannot be saved without.
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
 *                                and has no function to save it (nereus_on_save())
 */
NEREUS_API int nereus_save(nereus_job *job, int stop, uint64_t *request);

/** Ask for an epoch in memory (`nereus run --protect`): it is made at a later checkpoint.
 *
 * Not collective: rank 0 decides. They are made by the clock (setting `protect-every`); a program that has just
 * finished what was costly, or begins what may end it, need not wait for that. It takes effect as nereus_save() does.
 *
 * @param[in]  job      an open job
 * @param[out] request  number of this request; may be NULL
 *
 * @retval NEREUS_OK              noted
 * @retval NEREUS_ERR_ROOT        called on a rank other than 0
 * @retval NEREUS_ERR_ARGUMENT    the job is not open
 * @retval NEREUS_ERR_UNSUPPORTED the setting `protect-folder`, which `nereus run` sets, is empty, or as above
 * @retval NEREUS_ERR_STATE       its folder is gone, with the `nereus run` that made it (protect = memory; folders of
 *                                several hosts are looked for when it is made)
 */
NEREUS_API int nereus_protect_now(nereus_job *job, uint64_t *request);

/** Data of the application's own, in pieces that stay whole: a node of a tree, the particles of a cell. */
typedef struct nereus_pieces {
    int64_t count;         /**< of this process; 0 .. 2^40 */
    const int64_t *starts; /**< count + 1 numbers, not descending, the first one 0: piece i is bytes[starts[i]] up to
                                bytes[starts[i + 1]], without that one. NULL is allowed where count is 0 */
    const void *bytes;     /**< of all pieces, one after the other; NULL is allowed where there are none */
} nereus_pieces;

/** Hands out the pieces of this process, for an epoch: see nereus_on_save().
 *
 * @param[out] pieces   what they are. The memory stays the application's, and must stay as it is until
 *                      nereus_checkpoint() returns
 * @param[in]  context  as it was given to nereus_on_save()
 *
 * @return 0, or anything else where there can be no epoch now: it is not saved, and the job goes on
 */
typedef int (*nereus_save_pieces)(nereus_pieces *pieces, void *context);

/** Takes the pieces of this process, out of an epoch: see nereus_on_save().
 *
 * @param[in] comm     all processes of the job; valid during the call
 * @param[in] pieces   what they are; valid during the call
 * @param[in] context  as it was given to nereus_on_save()
 *
 * @return 0, or anything else where they cannot be taken: nereus_open() then fails on all processes
 */
typedef int (*nereus_load_pieces)(MPI_Comm comm, const nereus_pieces *pieces, void *context);

/** Characters that a name of nereus_on_save() has at most. */
#define NEREUS_MAX_SAVE_NAME 56

/** Have data that is no array saved in epochs, and loaded from them.
 *
 * To be called before nereus_open(), on every process. Names must be the same on all, and those of the epoch that the
 * job continues from, else nereus_open() fails with NEREUS_ERR_MISMATCH. A name that is known gets other functions and
 * another context. Where nereus_on_resize() has the same name, the program can be saved; other data needs no such
 * function to be saved.
 *
 * `save` is called on each process while an epoch is saved, in the order of the names; it may communicate over
 * nereus_comm(). `load` is called in nereus_open() of a job that continues, collectively, in the order of the names,
 * after all files were checked. Pieces keep their order: those of rank 0 in theirs, then those of rank 1, and so on.
 * With as many processes as there were, each gets those that it had; else they are shared out in equal numbers. They
 * are kept as two arrays of the epoch, `NAME starts` (of all pieces, and their end) and `NAME bytes`.
 *
 * @param[in] name     1..NEREUS_MAX_SAVE_NAME characters
 * @param[in] save     not NULL
 * @param[in] load     not NULL
 * @param[in] context  handed to both as it is
 *
 * @retval NEREUS_OK            they will be called
 * @retval NEREUS_ERR_ARGUMENT  a function is NULL, or name has not 1..NEREUS_MAX_SAVE_NAME characters
 * @retval NEREUS_ERR_MEMORY    no memory for the name
 */
NEREUS_API int nereus_on_save(const char *name, nereus_save_pieces save, nereus_load_pieces load, void *context);

#ifdef __cplusplus
}
#endif

#endif
