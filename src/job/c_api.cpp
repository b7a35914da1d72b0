// SPDX-License-Identifier: BSD-3-Clause
// The C API of a job's life: opening, resizes, checkpoints, stages and I/O phases, closing.
#include "base/printable.hpp"
#include "job/arrival.hpp"
#include "job/c_boundary.hpp"
#include "mpi/unfinalized_exit.hpp"

#include <nereus/save.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <utility>

namespace {

using nereus::Done;
using nereus::Error;
using nereus::failed;
using nereus::Result;
using nereus::job::check_name;
using nereus::job::guarded;
using nereus::job::refuse;
using nereus::job::usable;

constexpr std::int64_t most_stage_bytes = std::int64_t{1} << 62;
constexpr std::int64_t most_io_bytes = std::int64_t{1} << 40; // of a process: a sum over millions fits
constexpr double most_operations = 1e24;

bool are_allowed(const nereus_resize_options &options) {
    return nereus::exists(options) && std::memchr(options.hosts, '\0', sizeof options.hosts) != nullptr;
}

/// A newcomer that is not wanted any more is told to leave; other errors are printed once.
int not_opened(const Error &error, MPI_Comm comm, bool newcomer, nereus_job **job) {
    if (newcomer && error.code != NEREUS_ERR_SETTING) {
        (*job)->message = error.what;
        return NEREUS_LEAVE;
    }
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) nereus::print_line("nereus", "the job cannot be opened: " + error.what);
    delete std::exchange(*job, nullptr);
    return error.code;
}

/// @param[out] request  may be NULL
int ask_for_epoch(nereus_job *job, nereus::job::Save save, std::uint64_t *request) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Done {
        if (job->inside->generation().control.rank() != 0)
            return failed(NEREUS_ERR_ROOT, "only rank 0 may ask for an epoch");
        const auto number = job->inside->saves().ask(save);
        if (!number) return tl::unexpected(number.error());
        if (request != nullptr) *request = *number;
        return {};
    });
}

bool mpi_runs() {
    int started = 0, ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    return started != 0 && ended == 0;
}

}

extern "C" {

int nereus_open(MPI_Comm comm, int argc, char **argv, nereus_job **job) try {
    if (job == nullptr) return NEREUS_ERR_ARGUMENT;
    *job = nullptr;
    if (comm == MPI_COMM_NULL || argc < 1 || argv == nullptr) return NEREUS_ERR_ARGUMENT;
    if (!mpi_runs()) return NEREUS_ERR_MPI;
    nereus::mpi::let_launcher_see_unfinalized_exits();
    *job = new nereus_job;
    bool newcomer = false;
    auto opened = nereus::job::Job::open(comm, argc, argv, newcomer);
    if (!opened) return not_opened(opened.error(), comm, newcomer, job);
    (*job)->inside = std::move(*opened);
    return NEREUS_OK;
} catch (const std::bad_alloc &) {
    delete std::exchange(*job, nullptr);
    return NEREUS_ERR_MEMORY;
} catch (const std::exception &problem) {
    return not_opened({NEREUS_ERR_STATE, problem.what()}, comm, false, job);
}

int nereus_close(nereus_job **job) {
    if (job == nullptr || *job == nullptr) return NEREUS_ERR_ARGUMENT;
    const int code = guarded(*job, [&]() -> Result<nereus_code> {
        if ((*job)->inside) return (*job)->inside->close();
        return nereus::job::sleep_until_wanted({}) ? NEREUS_WOKEN : NEREUS_OK;
    });
    delete *job;
    *job = nullptr;
    return code;
}

MPI_Comm nereus_comm(const nereus_job *job) {
    return usable(job) ? job->inside->generation().application.get() : MPI_COMM_NULL;
}

int nereus_grid(int ranks, int *rows, int *columns) {
    if (ranks < 1 || rows == nullptr || columns == nullptr) return NEREUS_ERR_ARGUMENT;
    const nereus::plan::Grid grid = nereus::plan::grid_of(ranks);
    *rows = grid.rows;
    *columns = grid.columns;
    return NEREUS_OK;
}

int64_t nereus_generation(const nereus_job *job) {
    if (job == nullptr || !job->inside) return NEREUS_ERR_ARGUMENT;
    return job->inside->generation().number;
}

int nereus_resize_options_init(const nereus_job *job, nereus_resize_options *options) {
    if (!usable(job) || options == nullptr) return NEREUS_ERR_ARGUMENT;
    *options = job->inside->state().settings.resize;
    return NEREUS_OK;
}

int nereus_resize(nereus_job *job, int ranks, const nereus_resize_options *options, uint64_t *request) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Result<int> {
        if (job->inside->generation().control.rank() != 0)
            return failed(NEREUS_ERR_ROOT, "only rank 0 may ask for another size");
        const nereus_resize_options wanted = options != nullptr ? *options : job->inside->state().settings.resize;
        if (!are_allowed(wanted)) return failed(NEREUS_ERR_ARGUMENT, "options hold a value that does not exist");
        auto asked = job->inside->requests().ask(ranks, wanted);
        if (!asked) return tl::unexpected(asked.error());
        if (request != nullptr) *request = asked->number;
        return asked->code;
    });
}

int nereus_save(nereus_job *job, int stop, uint64_t *request) {
    return ask_for_epoch(job, stop != 0 ? nereus::job::Save::and_stop : nereus::job::Save::and_go_on, request);
}

int nereus_protect_now(nereus_job *job, uint64_t *request) {
    return ask_for_epoch(job, nereus::job::Save::in_memory, request);
}

int nereus_checkpoint(nereus_job *job) {
    if (job == nullptr || !job->inside) return NEREUS_ERR_ARGUMENT;
    if (job->inside->leaving()) return NEREUS_ERR_STATE;
    return guarded(job, [&] { return job->inside->checkpoint(); });
}

int nereus_stage_begin(nereus_job *job, const char *name, enum nereus_stage_kind kind, int64_t bytes) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Done {
        if (auto named = check_name(name); !named) return named;
        if (kind < NEREUS_STAGE_COMPUTE || kind > NEREUS_STAGE_READ)
            return failed(NEREUS_ERR_ARGUMENT, "there is no stage of kind " + std::to_string(kind));
        if (bytes < 0 || bytes > most_stage_bytes)
            return failed(NEREUS_ERR_ARGUMENT, "a stage has 0 .. 2^62 bytes, not " + std::to_string(bytes));
        return job->inside->measured().begin_stage(name, kind, bytes);
    });
}

int nereus_operations(nereus_job *job, double operations) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    if (!(operations >= 0 && operations <= most_operations))
        return refuse(job, {NEREUS_ERR_ARGUMENT, "an iteration has 0 .. 1e24 operations"});
    job->inside->has_operations(operations);
    return NEREUS_OK;
}

int nereus_stage_end(nereus_job *job) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&] { return job->inside->measured().end_stage(); });
}

int nereus_io_begin(nereus_job *job, int64_t bytes) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&]() -> Result<nereus_code> {
        if (bytes < 0 || bytes > most_io_bytes)
            return failed(NEREUS_ERR_ARGUMENT, "an I/O phase has 0 .. 2^40 bytes, not " + std::to_string(bytes));
        return job->inside->io().begin(bytes);
    });
}

int nereus_io_end(nereus_job *job) {
    if (!usable(job)) return NEREUS_ERR_ARGUMENT;
    return guarded(job, [&] { return job->inside->io().end(); });
}

int nereus_last_resize(const nereus_job *job, nereus_resize_report *report) {
    if (job == nullptr || !job->inside || report == nullptr) return NEREUS_ERR_ARGUMENT;
    *report = job->inside->last_resize();
    return NEREUS_OK;
}

const char *nereus_message(const nereus_job *job) {
    if (job == nullptr) return "";
    return job->inside ? job->inside->message().c_str() : job->message.c_str();
}
}
