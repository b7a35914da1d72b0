/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Nereus: MPI jobs that grow and shrink while they run.
 *
 * An application opens a job, registers its data by name, and calls nereus_checkpoint() once in each
 * iteration. At a checkpoint the job may get another number of processes; its data is then redistributed over
 * them. Processes that were made for a resize (newcomers) run the same program from main() and come in
 * through nereus_open() with all data in place.
 *
 *     do {
 *         int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
 *         if (code == NEREUS_LEAVE) break;
 *         nereus_array(job, "x", MPI_DOUBLE, n, NEREUS_BLOCK, NEREUS_VARIABLE,
 *                      (void **)&x);
 *         nereus_value(job, "iteration", MPI_INT64_T, 1, &it);
 *         while (it < last) {
 *             ... compute on x[0 .. nereus_count(job, "x")),
 *                 with nereus_comm(job) ...
 *             it++;
 *             if (nereus_checkpoint(job) == NEREUS_LEAVE) break;
 *         }
 *     } while (nereus_close(&job) == NEREUS_WOKEN);
 *
 * Rules that hold everywhere: a job is used by one thread at a time; collective calls are made by all
 * processes of the job in the same order; sizes are in elements unless the name says bytes; times are in
 * seconds; names are copied. Errors are codes: a function ends the process, or the job, only where the job cannot go
 * on, after a line on stderr that says why (docs/reference/resize.md, "Promises" and "Limits").
 */
#ifndef NEREUS_NEREUS_H
#define NEREUS_NEREUS_H

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

#include <nereus/errors.h>
#include <nereus/resize.h>
#include <nereus/version.h>

#if defined(__GNUC__)
#define NEREUS_API __attribute__((visibility("default")))
#define NEREUS_DEPRECATED(instead) __attribute__((deprecated(instead)))
#else
#define NEREUS_API
#define NEREUS_DEPRECATED(instead)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** A malleable job as one of its processes sees it: from nereus_open() to nereus_close(). */
typedef struct nereus_job nereus_job;

/** How a global array is distributed over the processes. */
enum nereus_layout {
    NEREUS_BLOCK = 0,      /**< contiguous ranges in rank order; the first (n mod ranks) have one element more */
    NEREUS_REPLICATED = 1, /**< every process holds all elements */
    NEREUS_WEIGHTED = 2,   /**< contiguous ranges in rank order, in proportion to weights: nereus_array_distributed() */
    NEREUS_CYCLIC = 3, /**< blocks of elements, 1 unless nereus_array_distributed() says more, are dealt out in turn */
    NEREUS_GRID = 4    /**< blocks of a matrix are dealt out over a grid of processes: nereus_array_distributed() */
};

/** A layout with all that it needs; fields of other layouts are not looked at. */
typedef struct nereus_distribution {
    enum nereus_layout layout; /**< how the array is distributed */
    const int32_t *weights;    /**< NEREUS_WEIGHTED: rank r weighs weights[r mod weight_count], 1 .. 2^31-1; copied */
    int weight_count;          /**< NEREUS_WEIGHTED: number of weights, from 1 */
    int64_t block;             /**< NEREUS_CYCLIC: elements of a block, from 1 */
    /** NEREUS_GRID: rows of the matrix. It is numbered row by row, rows * columns = elements, and cut into blocks of
     *  block_rows x block_columns that are dealt out in turn over a grid of processes in both directions, the first to
     *  rank 0, as ScaLAPACK does. Ranks are numbered row by row in the grid (nereus_grid()). A process' part is its own
     *  matrix, row by row. */
    int64_t rows;
    int64_t columns;       /**< NEREUS_GRID: of the matrix */
    int64_t block_rows;    /**< NEREUS_GRID: rows of a block, from 1 */
    int64_t block_columns; /**< NEREUS_GRID: columns of a block, from 1 */
    /** NEREUS_GRID: rows of the grid of processes. 0: as many as leave no process over; where grid_columns is 0 too,
     * those of nereus_grid(). With grid_columns = 1 each process has whole rows. The arrays of a job, which may get any
     * number of processes, take one of the two as 1 and nothing else from 1. */
    int grid_rows;
    int grid_columns; /**< NEREUS_GRID: columns of the grid of processes, likewise */
} nereus_distribution;

/** When an array may be sent. */
enum nereus_kind {
    NEREUS_CONSTANT = 0, /**< never written after registration: may be sent while the application goes on */
    NEREUS_VARIABLE = 1  /**< written by the application: sent at the commit */
};

/** Memory functions of the application for nereus_array_of(). */
typedef struct nereus_memory {
    void *(*allocate)(size_t bytes, void *context); /**< returns NULL where there is no memory; `bytes` may be 0 */
    void (*release)(void *memory, void *context);   /**< gets what allocate gave, or what was registered */
    void *context;                                  /**< handed to both as it is */
} nereus_memory;

/** Open the job: as a founder, or as a newcomer of a resize.
 *
 * Collective over `comm` for founders, over the newcomers of one resize. A newcomer returns when the resize that made
 * it is committed; its data is in place then, as it is for founders that continue from an epoch (nereus/save.h).
 *
 * @param[in]  comm  the founders' communicator, MPI_COMM_WORLD as a rule; duplicated
 * @param[in]  argc  as given to main(), from 1: newcomers are started with the same arguments; options of the form
 *                   `--nereus-NAME=VALUE` are read as settings (docs/reference/settings.md)
 * @param[in]  argv  as given to main(), argc entries
 * @param[out] job   the open job, to be closed by nereus_close(); set for NEREUS_LEAVE too, then only nereus_close()
 *                   may be called; NULL after an error
 *
 * @retval NEREUS_OK            the job is open
 * @retval NEREUS_LEAVE         newcomer: the resize was rolled back, close and finalize
 * @retval NEREUS_ERR_ARGUMENT  job or argv is NULL, comm is MPI_COMM_NULL, or argc is below 1
 * @retval NEREUS_ERR_SETTING,NEREUS_ERR_MISMATCH  a setting's value is not allowed, or an epoch damaged; said on stderr
 * @retval NEREUS_ERR_MPI       MPI is not initialised, or a call failed
 * @retval NEREUS_ERR_RANGE,NEREUS_ERR_PROCESS,NEREUS_ERR_TIMEOUT,NEREUS_ERR_UNSUPPORTED,NEREUS_ERR_MEMORY
 *                              the founders that the setting `start-ranks` wants cannot be made; said on stderr
 */
NEREUS_API int nereus_open(MPI_Comm comm, int argc, char **argv, nereus_job **job);

/** Leave the job and free everything that belongs to it, library-owned arrays included.
 *
 * Collective over the job: it waits until all processes have called it, for any time. After NEREUS_LEAVE of some it
 * is collective over nobody: it returns at once where this process can end, else it keeps the process asleep until its
 * MPI_COMM_WORLD can end or it is woken. A resize that was asked for and has not begun is dropped.
 *
 * @param[in,out] job  the job; NULL afterwards
 *
 * @retval NEREUS_OK            closed: call MPI_Finalize when nothing else is to be done
 * @retval NEREUS_WOKEN         wanted again: call nereus_open()
 * @retval NEREUS_ERR_ARGUMENT  job or *job is NULL
 * @retval NEREUS_ERR_MPI       a call failed: others may still be in the job; said on stderr
 */
NEREUS_API int nereus_close(nereus_job **job);

/** Register a global array whose memory the library owns.
 *
 * Collective. A newcomer makes the same calls in the same order and gets its part with its data. A founder
 * gets zeroed memory. The part of this process are the global elements
 * [nereus_first(), nereus_first() + nereus_count()).
 *
 * @param[in]     job       an open job
 * @param[in]     name      1..63 characters, unique in the job
 * @param[in]     type      predefined or derived type with lower bound 0; elements travel as the bytes of
 *                          its extent
 * @param[in]     elements  global number of elements, 0 .. 2^62, fewer than 2^63 bytes in all
 * @param[in]     layout    how it is distributed; NEREUS_BLOCK, NEREUS_REPLICATED or NEREUS_CYCLIC with blocks of one
 *                          element: others need nereus_array_distributed()
 * @param[in]     kind      when it may be sent
 * @param[in,out] pointer   set to this process' part, and again whenever nereus_checkpoint() returns
 *                          NEREUS_RESIZED; must stay valid until nereus_close(); NULL in *pointer when the
 *                          part is empty
 *
 * @retval NEREUS_OK            registered
 * @retval NEREUS_ERR_ARGUMENT  an argument is outside the above
 * @retval NEREUS_ERR_NAME      the name is taken
 * @retval NEREUS_ERR_MISMATCH  found at the next resize, which is then rolled back: processes have registered different
 *                              things. A newcomer that registers another name, type size, length, layout or kind
 *                              than the job has does not return: it says both on stderr and ends the job
 * @retval NEREUS_ERR_MEMORY    the part cannot be allocated
 */
NEREUS_API int nereus_array(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements,
                            enum nereus_layout layout, enum nereus_kind kind, void **pointer);

/** Register a global array in the application's own memory.
 *
 * Collective, as nereus_array(), but *pointer of a founder already holds its part. On a resize the new part is taken
 * from `memory->allocate` and the old one is given to `memory->release`. The memory of the last part belongs to the
 * application again after nereus_close(). A newcomer passes a pointer to NULL and gets its part.
 *
 * @param[in]     job,name,type,elements,layout,kind  as for nereus_array()
 * @param[in,out] pointer  to this process' part; set as by nereus_array()
 * @param[in]     memory   the functions, both of them, copied; NULL for malloc and free
 *
 * @return as nereus_array()
 */
NEREUS_API int nereus_array_of(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements,
                               enum nereus_layout layout, enum nereus_kind kind, void **pointer,
                               const nereus_memory *memory);

/** Register a global array that is distributed in any way.
 *
 * Collective, as nereus_array() where `memory` is NULL, else as nereus_array_of(). Parts of NEREUS_CYCLIC and
 * NEREUS_GRID hold elements that are not neighbours in the array: nereus_locate() says where each one is.
 *
 * @param[in]     job,name,type,kind  as for nereus_array()
 * @param[in]     elements      as for nereus_array(); for NEREUS_GRID rows * columns
 * @param[in]     distribution  the layout with what it needs; copied
 * @param[in,out] pointer       as for nereus_array(), or for nereus_array_of()
 * @param[in]     memory        NULL: the library owns the memory; else the functions, both of them, copied
 *
 * @return as nereus_array()
 */
NEREUS_API int nereus_array_distributed(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements,
                                        const nereus_distribution *distribution, enum nereus_kind kind, void **pointer,
                                        const nereus_memory *memory);

/** nereus_distribution by its former name, until the next version. */
typedef nereus_distribution nereus_cut;

/** nereus_array_distributed() by its former name, until the next version.
 *
 * @param[in]     job,name,type,elements,kind,memory  as for nereus_array_distributed()
 * @param[in]     cut      its `distribution`
 * @param[in,out] pointer  as for nereus_array_distributed()
 *
 * @return as nereus_array()
 */
NEREUS_API NEREUS_DEPRECATED("call nereus_array_distributed()") int nereus_array_cut(
    nereus_job *job, const char *name, MPI_Datatype type, int64_t elements, const nereus_cut *cut,
    enum nereus_kind kind, void **pointer, const nereus_memory *memory);

/** Register a small value that is the same on all processes, as an iteration number.
 *
 * Collective. Newcomers get the value that rank 0 has at the commit, inside this call.
 *
 * @param[in]     job       an open job
 * @param[in]     name      as for nereus_array(); one name space with the arrays
 * @param[in]     type      as for nereus_array()
 * @param[in]     elements  how many the value has, 1 .. 2^20
 * @param[in,out] value     memory of the application, valid until nereus_close()
 *
 * @return as nereus_array()
 */
NEREUS_API int nereus_value(nereus_job *job, const char *name, MPI_Datatype type, int64_t elements, void *value);

/** Swap what two arrays hold, with their pointers; costs nothing.
 *
 * By all processes of the job alike; sends nothing. A program may as well swap the two pointers itself, by
 * t = a; a = b; b = t, and the next nereus_checkpoint() finds that out; bindings whose pointers are copies (Fortran,
 * Python) need this call.
 *
 * @param[in] job    an open job
 * @param[in] one    name of a variable array
 * @param[in] other  name of one of the same layout, length and size of an element, and as this one in shared memory
 *                   or not. Datatypes of one size are not told apart: swapping an array of int64_t and one of double
 *                   is not refused
 *
 * @retval NEREUS_OK            swapped
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or a name is NULL
 * @retval NEREUS_ERR_NAME      there is no such name
 * @retval NEREUS_ERR_MISMATCH  the two differ in more than their names, or are constant
 * @retval NEREUS_ERR_STATE     a pointer is not what the library handed out: see nereus_checkpoint()
 */
NEREUS_API int nereus_swap(nereus_job *job, const char *one, const char *other);

/** Take an array, a value or a matrix out of the job.
 *
 * Collective. What goes is what has this name now, after swaps: of shared memory, processes agree on that. Memory of
 * the library is freed and *pointer of its registration set to NULL; memory of the application belongs to it again. The
 * name is free. Newcomers of later resizes do not register it. A resize that sends data just now is rolled back. A
 * newcomer that has not registered yet all that the job has ends the job, as in nereus_array().
 *
 * @param[in] job   an open job
 * @param[in] name  as it was registered; a matrix goes as a whole, by the name of nereus_matrix_csr()
 *
 * @retval NEREUS_OK            it is not registered any more
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or name is NULL
 * @retval NEREUS_ERR_NAME      there is no such name, or it is a part of a matrix
 * @retval NEREUS_ERR_MISMATCH  in shared memory: arrays were swapped on some processes only, or registered
 */
NEREUS_API int nereus_forget(nereus_job *job, const char *name);

/** The communicator of the present processes, for the application.
 *
 * Local. It belongs to the library, and is valid until nereus_checkpoint() returns NEREUS_RESIZED or NEREUS_LEAVE.
 *
 * @param[in] job  an open job
 *
 * @return the communicator; MPI_COMM_NULL where the job is not open
 */
NEREUS_API MPI_Comm nereus_comm(const nereus_job *job);

/** How many resizes of this job were committed; the founders are generation 0.
 *
 * Local.
 *
 * @param[in] job  an open job
 *
 * @return number of the generation, from 0, or an error
 * @retval NEREUS_ERR_ARGUMENT  the job is not open
 */
NEREUS_API int64_t nereus_generation(const nereus_job *job);

/** Fill options of nereus_resize() with the job's settings.
 *
 * Local.
 *
 * @param[in]  job      an open job
 * @param[out] options  all fields are set
 *
 * @retval NEREUS_OK            done
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or options is NULL
 */
NEREUS_API int nereus_resize_options_init(const nereus_job *job, nereus_resize_options *options);

/** Ask for another number of processes; the resize begins at a coming checkpoint of all ranks.
 *
 * Not collective: rank 0 decides. May be called at any time between nereus_open() and nereus_close().
 *
 * @param[in]  job      an open job
 * @param[in]  ranks    wanted number of processes, 1 .. the setting `max-ranks`
 * @param[in]  options  methods, copied; NULL for the job's settings
 * @param[out] request  number of this request, as in nereus_resize_report, 0 for NEREUS_UNCHANGED; may be NULL
 *
 * @retval NEREUS_OK            accepted
 * @retval NEREUS_PENDING       noted: another request comes first
 * @retval NEREUS_UNCHANGED     noted: the job has that size already; with NEREUS_MEASURED ranks may still change
 * @retval NEREUS_REDUCED       accepted for as many processes as the hosts have slots for
 * @retval NEREUS_ERR_ROOT      called on a rank other than 0
 * @retval NEREUS_ERR_RANGE     ranks is outside what is allowed, or beyond the slots of the host list;
 *                              nereus_message() names it
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or options holds a value that does not exist, strategies that
 *                              exclude one another, or a host list that cannot be read
 * @retval NEREUS_ERR_UNSUPPORTED  join without a supervisor, asynchronous without MPI_THREAD_MULTIPLE, or one-sided
 *                              transfers where the MPI has none; nereus_message() says what to take
 *
 * Source: malleability point, Martín-Álvarez et al. 2024, section 2.
 */
NEREUS_API int nereus_resize(nereus_job *job, int ranks, const nereus_resize_options *options, uint64_t *request);

/** The point in the application's loop at which a resize may happen.
 *
 * Collective, once in each iteration. Without a request it costs at most one non-blocking broadcast that was
 * started an iteration before; a process that is 200 to 400 broadcasts ahead of another one waits for it.
 * A request takes effect at most two checkpoints after nereus_resize(); some more, never over 32, where many short
 * iterations passed without a resize: broadcasts are rarer there (docs/reference/resize.md). A newcomer that has not
 * registered all that the job has does not return: it says so on stderr and ends the job.
 *
 * @param[in] job  an open job
 *
 * @retval NEREUS_GO_ON    nothing changed; after a resize that was rolled back nereus_message() says why
 * @retval NEREUS_RESIZED  communicator, counts and pointers are new
 * @retval NEREUS_LEAVE    the data of this process, or of all in an epoch, is elsewhere: leave the loop, nereus_close()
 * @retval NEREUS_ERR_STATE  after NEREUS_LEAVE; or a registered pointer shows something else than its part or, after a
 *                           swap, that of another variable array of the same layout, length and element size:
 *                           nereus_message() names the array. Other processes go on, and resizes are rolled back
 * @retval NEREUS_ERR_ARGUMENT  the job is not open
 * @retval NEREUS_ERR_MPI       an MPI call failed
 */
NEREUS_API int nereus_checkpoint(nereus_job *job);

/** What became of the latest resize that ended.
 *
 * Local. Every process of the job knows it.
 *
 * @param[in]  job     an open job, or one that nereus_checkpoint() told to leave
 * @param[out] report  request 0 where no resize has ended yet
 *
 * @retval NEREUS_OK            done
 * @retval NEREUS_ERR_ARGUMENT  the job is not open, or report is NULL
 */
NEREUS_API int nereus_last_resize(const nereus_job *job, nereus_resize_report *report);

/** The latest thing worth saying, in a sentence.
 *
 * Local.
 *
 * @param[in] job  an open job, or one that was told to leave
 *
 * @return the sentence, which belongs to the library and is valid until the next call; "" where there is none
 */
NEREUS_API const char *nereus_message(const nereus_job *job);

/** Version of the library.
 *
 * NEREUS_VERSION_MAJOR, NEREUS_VERSION_MINOR and NEREUS_VERSION_PATCH are that of the headers.
 *
 * @return "major.minor.patch", which belongs to the library
 */
NEREUS_API const char *nereus_version(void);

/** Name of a code.
 *
 * @param[in] code  any number
 *
 * @return its name, as "NEREUS_ERR_RANGE", which belongs to the library; "unknown code" for a number that is none
 */
NEREUS_API const char *nereus_code_name(int code);

#ifdef __cplusplus
}
#endif

#include <nereus/distributed.h>
#include <nereus/io.h>
#include <nereus/matrix.h>
#include <nereus/parts.h>
#include <nereus/redistribution.h>
#include <nereus/stages.h>

#endif
