/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * How a resize is carried out, and what became of it: what nereus_resize() takes and nereus_last_resize() gives.
 *
 * The methods are those of Martín-Álvarez et al. 2024 and 2025; docs/reference/resize.md says what happens when.
 */
#ifndef NEREUS_RESIZE_H
#define NEREUS_RESIZE_H

#include <stdint.h>

/** How the processes of the new size come about.
 *
 * Source: Martín-Álvarez et al. 2024, section 4.2.
 */
enum nereus_process_method {
    NEREUS_MERGE = 0,          /**< sources that are still wanted go on, only the others are made or released */
    NEREUS_BASELINE_INTER = 1, /**< all drains are made anew; data travels over an inter-communicator */
    NEREUS_BASELINE_INTRA = 2, /**< all drains are made anew; data travels over a merged communicator */
    /** All processes leave, and the supervisor (`nereus run`) starts the program anew with the data that they left, so
     *  that the MPI need neither spawn nor connect. Options about transfers, survivors and strategies have no meaning
     *  for it. Refused where the program moves data by itself (nereus_on_resize()) and has no functions that save it
     *  (nereus_on_save()). */
    NEREUS_RESTART = 3
};

/** How a process method is carried out; values are added.
 *
 * Processes that are parked are woken before any are made, with every strategy of NEREUS_MERGE, unless the setting
 * `wake` is off. Which of these work depends on the MPI: `nereus doctor` tries them all.
 *
 * Source: Martín-Álvarez et al. 2024, section 4.2, Figs. 2 and 3.
 */
enum nereus_process_strategy {
    NEREUS_ASYNCHRONOUS = 1, /**< in a thread, while the application iterates; needs MPI_THREAD_MULTIPLE */
    NEREUS_SINGLE = 2,       /**< rank 0 alone spawns; the new processes connect by a port */
    NEREUS_MULTIPLE = 4,     /**< one MPI_Comm_spawn for each host, by all; each host's processes can leave alone */
    NEREUS_PARALLEL = 8,     /**< every process spawns a share; the shares are joined by a tree */
    NEREUS_JOIN = 16,        /**< the supervisor (`nereus run`) starts them as MPI jobs of their own meanwhile */
    /** Alone: NEREUS_JOIN where a supervisor offers it, else 0, one call of MPI_Comm_spawn. Where the supervisor makes
     *  all newcomers, or all are woken, and the program has MPI_THREAD_MULTIPLE: with NEREUS_ASYNCHRONOUS. A report
     *  holds what was chosen. */
    NEREUS_AUTO = 32
};

/** Where new processes go when the job has a list of hosts. */
enum nereus_placement {
    NEREUS_COMPACT = 0, /**< fill the hosts in the order of the list */
    NEREUS_SPREAD = 1,  /**< always the host with the fewest processes */
    /** As one of both; and processes get other ranks, but for rank 0, so that ranks that sent each other the most, as
     *  nereus/monitor.h saw it, are on one host (Bosilca et al. 2017, section 6.3). Ranks are kept where this is not
     *  worth it, which the report says. */
    NEREUS_MEASURED = 2
};

/** What can leave for good by itself: new processes of one unit share an MPI_COMM_WORLD. */
enum nereus_release_unit {
    NEREUS_UNIT_JOB = 0,  /**< all processes that one resize made */
    NEREUS_UNIT_HOST = 1, /**< those of one resize on one host */
    NEREUS_UNIT_RANK = 2  /**< each process */
};

/** Which MPI calls carry the data.
 *
 * What stays in the shared memory of a host (setting `memory`) is carried by none.
 *
 * Source: Martín-Álvarez et al. 2024, section 4.2; 2025, section 4.
 */
enum nereus_transfer_method {
    NEREUS_P2P = 0,          /**< MPI_Isend and MPI_Irecv for each pair that shares elements */
    NEREUS_COL = 1,          /**< all-to-all collectives for each array */
    NEREUS_RMA_LOCK = 2,     /**< drains read from windows of the sources, locking one source at a time */
    NEREUS_RMA_LOCKALL = 3,  /**< drains read from windows of the sources, all locked at once */
    NEREUS_TRANSFER_AUTO = 4 /**< by the costs that `nereus calibrate` measured; without them NEREUS_P2P */
};

/** Who waits for the constant data.
 *
 * Variable data is always sent at the commit, while the application waits.
 *
 * Source: Martín-Álvarez et al. 2024, section 4.2; 2025, section 4.3.
 */
enum nereus_transfer_strategy {
    NEREUS_BLOCKING = 0,     /**< (S) the application waits */
    NEREUS_NONBLOCKING = 1,  /**< (NB) it goes on until the sources have sent everything; not with one-sided methods */
    NEREUS_WAIT_DRAINS = 2,  /**< (WD) it goes on until all drains have received everything */
    NEREUS_THREAD = 3,       /**< (T) as NEREUS_BLOCKING in a thread of each process; needs MPI_THREAD_MULTIPLE */
    NEREUS_STRATEGY_AUTO = 4 /**< by the costs that `nereus calibrate` measured; without them NEREUS_BLOCKING */
};

/** Which sources go on with NEREUS_MERGE, and as which ranks. Rank 0 always stays rank 0. */
enum nereus_survivors {
    NEREUS_FIRST = 0,          /**< the first ones, with their old ranks */
    NEREUS_LEAST_MOVEMENT = 1, /**< those, with such ranks, that most bytes stay where they are */
    NEREUS_SURVIVORS_AUTO = 2  /**< as NEREUS_LEAST_MOVEMENT among those choices that let most processes end */
};

/** How one resize is carried out. Make it with nereus_resize_options_init(), then change what differs. */
typedef struct nereus_resize_options {
    enum nereus_process_method process_method;       /**< how drains come about */
    enum nereus_transfer_method transfer_method;     /**< which calls carry the data */
    enum nereus_transfer_strategy transfer_strategy; /**< who waits for constant data */
    enum nereus_survivors survivors;                 /**< which sources go on */
    unsigned process_strategies;           /**< sum of enum nereus_process_strategy; 0: one MPI_Comm_spawn by all */
    enum nereus_placement placement;       /**< where new processes go */
    enum nereus_release_unit release_unit; /**< which new processes can leave without others */
    int oversubscribe;                     /**< 1: a host may get more processes than it has slots */
    int allow_fewer; /**< 1: where the hosts have too few slots, take what they have (NEREUS_REDUCED) */
    char hosts[256]; /**< hosts to add to the job's list, for good if it is done: "name:slots,..."; "": none */
} nereus_resize_options;

/** What became of a resize; times are those of the root of the generation that was resized. */
typedef struct nereus_resize_report {
    uint64_t request; /**< number of the request, from 1; 0: there was none yet */
    int code;         /**< NEREUS_RESIZED, NEREUS_UNCHANGED, or the error for which it was rolled back */
    int from;         /**< processes before */
    int to;           /**< processes asked for */
    enum nereus_process_method process_method;       /**< as it was asked for */
    enum nereus_transfer_method transfer_method;     /**< that was used; as asked for where nothing was sent */
    enum nereus_transfer_strategy transfer_strategy; /**< that was used; as asked for where nothing was sent */
    unsigned process_strategies;                     /**< those that were used: never NEREUS_AUTO */
    double process_seconds;                          /**< from the decision until all newcomers are connected */
    double connect_seconds;                          /**< of these, from the moment at which all newcomers were up */
    double constant_seconds;                         /**< to move constant data, until all have seen that it is done */
    double variable_seconds;                         /**< to move variable data */
    double predicted_seconds;      /**< for both, as NEREUS_TRANSFER_AUTO expected it; -1: nothing was predicted */
    double pause_seconds;          /**< time in which the application made no iteration */
    int64_t background_iterations; /**< iterations that the application made while constant data moved */
    int64_t constant_bytes;        /**< constant data that went from one process to another */
    int64_t variable_bytes;        /**< variable data that went from one process to another */
    int64_t shared_bytes;          /**< data that got another owner in the shared memory of a host and did not move */
    int64_t bytes_minimum;         /**< the least that any numbering of the drains could have moved */
    int verified;                  /**< 1: checksums agreed; -1: not checked (setting `verify`) */
    int woken;                     /**< newcomers that were parked before */
    int left;                      /**< sources that left for good */
    int parked;                    /**< sources that sleep, because processes of their MPI_COMM_WORLD go on */
    double usual_between_hosts;    /**< NEREUS_MEASURED: bytes that would go between hosts without it; -1: not known */
    double between_hosts;          /**< and that go now, in a generation like the one before */
    char state[16];   /**< state in which it was rolled back: making, ready, sending or committing; or "" */
    char reason[256]; /**< why it was rolled back, or "" */
    char placed[256]; /**< NEREUS_MEASURED: how ranks were placed, or why they were not; or "" */
} nereus_resize_report;

#endif
