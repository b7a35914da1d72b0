/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What this process sent, read and wrote through MPI, while it runs.
 *
 * A program that calls these functions is linked with `-lnereus-monitor` before its MPI, or runs under `nereus
 * monitor`; docs/howto/monitor.md shows both. Recording begins in MPI_Init and ends in MPI_Finalize, which writes the
 * file of the run. No function here is collective: each process reads what it recorded itself, which is what it sent.
 *
 * A session counts between its starts and stops. Sessions do not disturb each other, nor the file: to start, stop, read
 * or reset one changes nothing for any other. Calls on one session must not run at once; those on several may.
 *
 * Source: Bosilca et al. 2017, section 5; MPI 4.0, 15.3 (tool information interface) for the idea of sessions.
 */
#ifndef NEREUS_MONITOR_H
#define NEREUS_MONITOR_H

#include <nereus/errors.h>

#include <mpi.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Ways in which data moves. */
enum nereus_monitor_kind {
    NEREUS_POINT_TO_POINT = 0, /**< messages that the program sends */
    NEREUS_COLLECTIVE =
        1, /**< a collective before it is decomposed: what it means, as docs/formats/monitor.md has it */
    NEREUS_DECOMPOSED = 2, /**< messages that the MPI library makes of a collective, where a sensor sees them */
    NEREUS_PUT = 3,        /**< one-sided, from this process to the peer */
    NEREUS_GET = 4         /**< one-sided, from the peer to this process */
};

/** Sizes of messages: 0 bytes; then 2^k to 2^(k+1) - 1 bytes at k + 1. */
#define NEREUS_MONITOR_SIZES 65

/** What this process moved to, or for NEREUS_GET from, one peer. */
typedef struct nereus_monitor_pair {
    int kind;          /**< one of enum nereus_monitor_kind */
    int world;         /**< 0: the MPI_COMM_WORLD of this process; from 1: others, as this process met them */
    int rank;          /**< of the peer in that world */
    int generation;    /**< of the job, from 0 */
    int phase;         /**< of the program: from 1 in the order in which this process first began them; 0: none */
    uint64_t messages; /**< how many */
    uint64_t bytes;    /**< bytes, of all messages together */
    uint64_t histogram[NEREUS_MONITOR_SIZES]; /**< messages of 0 bytes; then of 2^k to 2^(k+1) - 1 at k + 1 */
} nereus_monitor_pair;

/** What counts, on this process alone: from nereus_monitor_open() to nereus_monitor_close(). */
typedef struct nereus_monitor_session nereus_monitor_session;

/** Make a session. It counts from now on.
 *
 * @param[out] session  to be given to nereus_monitor_close(); NULL after an error
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_ERR_ARGUMENT     session is NULL
 * @retval NEREUS_ERR_STATE        there is no record: before MPI_Init, after MPI_Finalize, or not all processes of
 *                                 MPI_COMM_WORLD have the monitor loaded
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_open(nereus_monitor_session **session);

/** Go on counting, after a stop.
 *
 * @param[in] session  of nereus_monitor_open()
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_UNCHANGED        it counts already
 * @retval NEREUS_ERR_ARGUMENT     session is NULL
 * @retval NEREUS_ERR_STATE        the record has ended
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_start(nereus_monitor_session *session);

/** Stop counting. What was counted stays.
 *
 * @param[in] session  of nereus_monitor_open()
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_UNCHANGED        it does not count
 * @retval NEREUS_ERR_ARGUMENT     session is NULL
 * @retval NEREUS_ERR_STATE        the record has ended
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_stop(nereus_monitor_session *session);

/** Forget what was counted. A session that counts goes on doing so.
 *
 * @param[in] session  of nereus_monitor_open()
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_ERR_ARGUMENT     session is NULL
 * @retval NEREUS_ERR_STATE        the record has ended
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_reset(nereus_monitor_session *session);

/** Read what was counted, also while it counts.
 *
 * Pairs are sorted by kind, generation, phase, world and rank; there is one for each peer to which something was moved.
 *
 * @param[in]     session  of nereus_monitor_open()
 * @param[out]    pairs   room for *number of them; may be NULL where that is 0
 * @param[in,out] number  in: how many there is room for, 0 or more; out: how many there are, which may be more
 *
 * @retval NEREUS_OK               done; as many were written as there is room for
 * @retval NEREUS_ERR_ARGUMENT     an argument is NULL that must not be, or *number is below 0
 * @retval NEREUS_ERR_STATE        the record has ended
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_read(const nereus_monitor_session *session, nereus_monitor_pair *pairs, int *number);

/** What this process has sent to each process of a communicator.
 *
 * In the present generation of its job, or since MPI_Init where it belongs to none: messages, and what was put and got
 * one-sided. Of collectives their messages, where a sensor or a model tells them (NEREUS_DECOMPOSED), else what they
 * mean. Local.
 *
 * @param[in]  comm      an intra-communicator
 * @param[out] messages  to each rank of `comm`, as many as it has; may be NULL
 * @param[out] bytes     of these messages together; may be NULL
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_ERR_ARGUMENT     comm is not an intra-communicator
 * @retval NEREUS_ERR_STATE        there is no record, or recording is switched off
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_sent(MPI_Comm comm, uint64_t *messages, uint64_t *bytes);

/** End a session; allowed after MPI_Finalize too.
 *
 * @param[in,out] session  NULL afterwards
 *
 * @retval NEREUS_OK               done, also where *session was NULL
 * @retval NEREUS_ERR_ARGUMENT     session is NULL
 */
int nereus_monitor_close(nereus_monitor_session **session);

/** Switch recording on or off, for all sessions and the file; MPI_Pcontrol() with a level does the same.
 *
 * @param[in] on  0: off; else on
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_UNCHANGED        it was so already
 * @retval NEREUS_ERR_STATE        there is no record
 */
int nereus_monitor_record(int on);

/** Begin a phase of the program: what this process sends from now on belongs to it, until the next one begins.
 *
 * Local, of all threads of the process together. Phases of one name are one phase, also on different processes.
 *
 * @param[in] name  NULL or "": what is sent belongs to no phase
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_ERR_RANGE        there are 255 phases already; the one before goes on
 * @retval NEREUS_ERR_STATE        there is no record
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_phase(const char *name);

/** What nereus_monitor_io() calls.
 *
 * @param[in] context  as it was given to nereus_monitor_io()
 * @param[in] begins   1 before MPI_File_open, 0 behind MPI_File_close
 *
 * @return not looked at
 */
typedef int (*nereus_monitor_io_call)(void *context, int begins);

/** Say when the program reads or writes files with all processes of a communicator.
 *
 * That is from the opening of the first file to the close of the last one that is open. libnereus calls this, so that a
 * job waits for its turn to write also where the program does not call nereus_io_begin(). Local; there is one that is
 * told, the latest.
 *
 * A job passes over files that a process opens in another thread than nereus_open(). All processes have to do so alike:
 * where some open a file of all in that thread and others do not, those wait for the others for ever. A program whose
 * processes differ calls nereus_io_begin() before its first file; then no file is a phase.
 *
 * @param[in] comm     an intra-communicator; files of communicators of other processes are passed over
 * @param[in] call     called in every process of `comm`, in the thread that opens or closes the file; NULL: nobody is
 *                     told any more
 * @param[in] context  handed on to it
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_ERR_ARGUMENT     comm is not an intra-communicator
 * @retval NEREUS_ERR_STATE        there is no record
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_io(MPI_Comm comm, nereus_monitor_io_call call, void *context);

/** Begin a generation of a malleable job: what this process sends from now on belongs to it.
 *
 * libnereus calls this in every process behind each resize; a program that is resized in another way can do so itself.
 * From the ranks in `comm`, readers of the record tell who is who among processes of different worlds. Local.
 *
 * @param[in] comm        an intra-communicator of all processes of the generation
 * @param[in] job         a name that is the same on all of them, and that no other job has
 * @param[in] generation  from 0; no two of a job have the same number
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_UNCHANGED        it began before
 * @retval NEREUS_ERR_ARGUMENT     comm is MPI_COMM_NULL or has two sides, job is NULL, or generation is below 0
 * @retval NEREUS_ERR_STATE        there is no record
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_generation(MPI_Comm comm, const char *job, int generation);

/** Say what this process does beside its calls of MPI: from here on an activity is in a state, until its next one.
 *
 * Only traces show it (`nereus trace`): a lane for each activity. libnereus tells of resizes, I/O phases, epochs and
 * stages in this way; docs/howto/trace.md lists them. Local, of all threads of the process together.
 *
 * @param[in] activity  1 to 15 bytes without ':'
 * @param[in] state     of which at most 30 bytes, less those of `activity`, are kept; NULL or "": the activity ends.
 *                      Beyond 512 different states of a process, further ones are called `other`
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_UNCHANGED        there is no trace
 * @retval NEREUS_ERR_ARGUMENT     activity is not as it must be
 * @retval NEREUS_ERR_RANGE        there are 64 activities already
 * @retval NEREUS_ERR_STATE        there is no record
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_state(const char *activity, const char *state);

/** Say that an iteration of the program begins, which lasts until the next one does, or until the end of the activity
 * `iteration` (nereus_monitor_state()).
 *
 * libnereus calls this in nereus_open() and at each nereus_checkpoint(). Traces show iterations, and can be of some of
 * them alone (`nereus trace --iterations`). Local.
 *
 * @param[in] number  from 0
 *
 * @retval NEREUS_OK               done
 * @retval NEREUS_UNCHANGED        there is no trace
 * @retval NEREUS_ERR_STATE        there is no record
 * @retval NEREUS_ERR_MEMORY       memory could not be had
 */
int nereus_monitor_iteration(uint64_t number);

#ifdef __cplusplus
}
#endif

#endif
