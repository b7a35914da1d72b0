/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * What the functions of nereus.h return: 0 is done, above 0 is done and worth a look, below 0 is an error.
 */
#ifndef NEREUS_ERRORS_H
#define NEREUS_ERRORS_H

/** What functions return; those that return a number return an error in its place.
 *
 * Codes below 0 are errors: nothing was done, unless the function says otherwise. nereus_message() says in a sentence
 * what happened and what can be done about it, nereus_code_name() gives the name of a code.
 */
enum nereus_code {
    NEREUS_OK = 0,                /**< done */
    NEREUS_GO_ON = 0,             /**< checkpoint: nothing changed, go on */
    NEREUS_RESIZED = 1,           /**< checkpoint: new size; communicator, counts and pointers are new */
    NEREUS_LEAVE = 2,             /**< this process is not needed any more: leave the loop and close the job */
    NEREUS_WOKEN = 3,             /**< close: a parked process is wanted again, open the job anew */
    NEREUS_UNCHANGED = 4,         /**< resize, change of distribution: it is so already */
    NEREUS_PENDING = 5,           /**< resize: noted, it follows the one that is under way */
    NEREUS_REDUCED = 6,           /**< resize: accepted for fewer processes than were asked for */
    NEREUS_NO_TURN = 7,           /**< I/O phase: begun without a turn, since no daemon answers */
    NEREUS_ERR_ARGUMENT = -1,     /**< an argument is outside what is allowed */
    NEREUS_ERR_ROOT = -2,         /**< only rank 0 may call this */
    NEREUS_ERR_RANGE = -3,        /**< a number of processes is outside what can be started */
    NEREUS_ERR_NAME = -4,         /**< no such name, or a name that is taken */
    NEREUS_ERR_MISMATCH = -5,     /**< ranks, or a newcomer and the job, do not agree on what is registered */
    NEREUS_ERR_MEMORY = -6,       /**< memory could not be had */
    NEREUS_ERR_PROCESS = -7,      /**< processes could not be made */
    NEREUS_ERR_TIMEOUT = -8,      /**< a process did not answer in time */
    NEREUS_ERR_TRANSFER = -9,     /**< data could not be moved, or arrived changed */
    NEREUS_ERR_UNSUPPORTED = -10, /**< this MPI, or this resize, cannot do what was asked */
    NEREUS_ERR_SETTING = -11,     /**< a setting has a value that is not allowed */
    NEREUS_ERR_MPI = -12,         /**< an MPI call failed */
    NEREUS_ERR_STATE = -13        /**< the call does not fit the state of the job */
};

#endif
