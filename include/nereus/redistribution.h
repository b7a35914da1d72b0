/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Data that the application moves by itself in a resize: a part of nereus.h, which includes it.
 */
#ifndef NEREUS_REDISTRIBUTION_H
#define NEREUS_REDISTRIBUTION_H

#include <nereus/nereus.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a redistribution is called for. */
enum nereus_redistribution_step {
    NEREUS_MOVE = 0,  /**< make the new data beside the old: collective over `comm`, non-zero undoes the resize */
    NEREUS_ADOPT = 1, /**< the resize is committed: the new data takes the place of the old */
    NEREUS_DROP = 2   /**< it was rolled back: the new data goes */
};

/** Who takes part in a resize. Valid during the call. */
typedef struct nereus_sides {
    MPI_Comm comm;          /**< all of both sides, the sources first: source s is rank s; has MPI_ERRORS_RETURN */
    int sources;            /**< processes before */
    int drains;             /**< processes after */
    int source;             /**< number of this process before; -1: it is a newcomer */
    int drain;              /**< its number after; -1: it leaves */
    const int *drain_ranks; /**< of each drain, its rank in comm */
} nereus_sides;

/** A function of the application that moves its data in a resize: see nereus_on_resize().
 *
 * @param[in] step     what it is called for
 * @param[in] sides    who takes part; valid during the call
 * @param[in] context  as it was given to nereus_on_resize()
 *
 * @return 0, or anything else where data cannot be moved; only looked at for NEREUS_MOVE
 */
typedef int (*nereus_redistribution)(enum nereus_redistribution_step step, const nereus_sides *sides, void *context);

/** Characters that a name of nereus_on_resize() has at most. */
#define NEREUS_MAX_RESIZE_NAME 63

/** Have `function` called in each resize, for data that is no array: a list, a tree, a grid of its own.
 *
 * To be called before nereus_open(), on every process, newcomers too: their nereus_open() returns after the commit.
 * Names must be the same on all, else the resize is rolled back with NEREUS_ERR_MISMATCH. A name that is known gets
 * another function and context.
 *
 * NEREUS_MOVE is called on all sources and newcomers when all registered data has arrived everywhere, in the order of
 * the names, and for every name also where one has refused; then NEREUS_ADOPT or NEREUS_DROP on all of them, which must
 * not communicate. Where the resize is rolled back before, none is called. MOVE has no time limit.
 *
 * @param[in] name      1..NEREUS_MAX_RESIZE_NAME characters
 * @param[in] function  not NULL
 * @param[in] context   handed to the function as it is
 *
 * @retval NEREUS_OK            it will be called
 * @retval NEREUS_ERR_ARGUMENT  function is NULL, or name has not 1..NEREUS_MAX_RESIZE_NAME characters
 */
NEREUS_API int nereus_on_resize(const char *name, nereus_redistribution function, void *context);

#ifdef __cplusplus
}
#endif

#endif
