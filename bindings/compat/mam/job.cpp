// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include "../command_line.hpp"
#include "../complaint.hpp"
#include "../parked.hpp"
#include "../rank.hpp"

#include <climits>
#include <filesystem>

namespace nereus::compat {
namespace {

int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

/// MaM starts what it is told; Nereus starts the running program, which is the same unless this says no.
void check_program(const char *program) {
    if (program == nullptr) give_up("MAM_Init: name_exec is NULL");
    const auto running = std::filesystem::read_symlink("/proc/self/exe").filename();
    const auto wanted = std::filesystem::path(program).filename();
    if (wanted != running)
        give_up("MAM_Init: name_exec = " + std::string(program) + ": newcomers run this program, " + running.string());
}

}

MamJob &MamJob::only() {
    static auto *job = new MamJob; // never destroyed: exit() in MAM_Checkpoint() may end the process
    return *job;
}

nereus_job *MamJob::handle() const {
    if (job_ == nullptr) give_up("MaM is called before MAM_Init() or after MAM_Finalize()");
    return job_;
}

int MamJob::open(int root, MPI_Comm *comm, const char *program, UserFunction function) {
    if (job_ != nullptr || comm == nullptr) give_up("MAM_Init is called once, with a communicator");
    check_program(program);
    root_ = root;
    shown_comm_ = comm;
    never_wake();
    user.announce(root, function);
    CommandLine line;
    const int code = nereus_open(*comm, line.count(), line.values(), &job_);
    if (code == NEREUS_LEAVE) leave(&job_);
    if (code != NEREUS_OK) give_up(std::string("MAM_Init: ") + nereus_code_name(code));
    if (root < 0 || root >= size_of(nereus_comm(job_)))
        give_up("MAM_Init: root = " + std::to_string(root) + ": a rank of the communicator is allowed");
    if (!user.made_a_newcomer()) {
        configuration.read_environment();
        return MAM_SOURCES;
    }
    data.register_all(job_);
    configuration.drop_targets();
    show_comm();
    return MAM_TARGETS;
}

void MamJob::close() {
    handle();
    nereus_close(&job_);
}

MamJob::Answer MamJob::ask() const {
    const int sources = size_of(nereus_comm(job_));
    const auto wanted = static_cast<std::int64_t>(configuration.targets());
    if (wanted > INT_MAX || wanted <= root_) {
        complain("a reconfiguration to " + std::to_string(wanted) + " processes: the root, rank " +
                 std::to_string(root_) + ", must be one of them");
        return {NEREUS_ERR_RANGE, 0};
    }
    const nereus_resize_options options = configuration.options_for(job_, sources);
    std::uint64_t request = 0;
    const int code = nereus_resize(job_, static_cast<int>(wanted), &options, &request);
    if (code < 0) complain(nereus_message(job_));
    if (code == NEREUS_UNCHANGED)
        complain("a reconfiguration to the " + std::to_string(sources) + " processes that there are does nothing");
    return {code, static_cast<std::int64_t>(request)};
}

/// Collective: the root's configuration counts, and rank 0 asks. @return false: it is refused
bool MamJob::begin() {
    const MPI_Comm comm = nereus_comm(job_);
    auto words = configuration.words();
    MPI_Bcast(words.data(), static_cast<int>(words.size()), MPI_INT64_T, root_, comm);
    configuration.take(words.data());
    if (configuration.targets() == 0) return true;
    Answer answer;
    if (rank_in(comm) == 0) answer = ask();
    MPI_Bcast(&answer, 2, MPI_INT64_T, 0, comm);
    if (answer.code < 0 || answer.code == NEREUS_UNCHANGED) return false;
    request_ = static_cast<std::uint64_t>(answer.request);
    under_way_ = true;
    return true;
}

bool MamJob::was_undone() const {
    nereus_resize_report report;
    nereus_last_resize(job_, &report);
    return under_way_ && report.request == request_ && report.code < 0;
}

int MamJob::denied(int &state, int code) {
    if (code < 0 && rank_in(nereus_comm(job_)) == 0) complain(nereus_message(job_));
    under_way_ = false;
    configuration.drop_targets();
    state = MAM_NOT_STARTED;
    return MAM_DENIED;
}

int MamJob::checkpoint(int &state, bool wait, UserFunction function) {
    handle();
    user.use(function);
    if (!under_way_ && !begin()) return denied(state, 0);
    // MaM does all in one call where nothing of it is in the background.
    const bool stay = wait || !(configuration.spawns_in_thread() || data.has_constant());
    do {
        const int code = nereus_checkpoint(job_);
        if (code == NEREUS_LEAVE) end_process();
        if (code < 0) give_up(std::string("MAM_Checkpoint: ") + nereus_message(job_));
        if (code == NEREUS_RESIZED) {
            commit();
            state = MAM_COMPLETED;
            return MAM_OK;
        }
        if (was_undone()) return denied(state, -1);
    } while (under_way_ && stay);
    state = under_way_ ? MAM_PENDING : MAM_NOT_STARTED;
    return MAM_OK;
}

void MamJob::commit() {
    under_way_ = false;
    configuration.drop_targets();
    data.renew(job_);
    show_comm();
}

/// The application gets a communicator of its own, since programs of MaM free the one that they have.
void MamJob::show_comm() {
    if (own_comm_ != MPI_COMM_NULL && *shown_comm_ == own_comm_) MPI_Comm_free(&own_comm_);
    MPI_Comm_dup(nereus_comm(job_), &own_comm_);
    *shown_comm_ = own_comm_;
}

void MamJob::end_process() {
    if (own_comm_ != MPI_COMM_NULL && *shown_comm_ == own_comm_) MPI_Comm_free(&own_comm_);
    leave(&job_);
}

}
