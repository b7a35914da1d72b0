// SPDX-License-Identifier: BSD-3-Clause
#include "job.hpp"

#include "../command_line.hpp"
#include "../complaint.hpp"
#include "../parked.hpp"

#include <nereus/compat/empi.h>

#include <cstdlib>

namespace nereus::compat {

EmpiJob &EmpiJob::only() {
    static auto *job = new EmpiJob; // never destroyed: exit() in MPI_Init() may end the process
    return *job;
}

nereus_job *EmpiJob::handle() const {
    if (job_ == nullptr || removed_) give_up("FlexMPI is called before MPI_Init(), or on a process that was removed");
    return job_;
}

int EmpiJob::rank() const {
    int rank = 0;
    if (MPI_Comm_rank(nereus_comm(handle()), &rank) != MPI_SUCCESS) give_up("MPI_Comm_rank failed");
    return rank;
}

int EmpiJob::size() const {
    int size = 0;
    if (MPI_Comm_size(nereus_comm(handle()), &size) != MPI_SUCCESS) give_up("MPI_Comm_size failed");
    return size;
}

Rows EmpiJob::rows() const { return removed_ ? Rows{-1, 0} : rows_of(rank(), size(), rows_); }

void EmpiJob::read_schedule() {
    const char *text = std::getenv("NEREUS_EMPI_SCHEDULE");
    if (text != nullptr && !schedule_.read(text))
        give_up(std::string("NEREUS_EMPI_SCHEDULE = ") + text + ": ITERATION:PROCESSES,... is allowed");
}

void EmpiJob::open() {
    begin_ = MPI_Wtime();
    read_schedule();
    never_wake();
    nereus_on_resize("empi", step, this);
    CommandLine line;
    const int code = nereus_open(MPI_COMM_WORLD, line.count(), line.values(), &job_);
    if (code == NEREUS_LEAVE) leave(&job_);
    if (code != NEREUS_OK) give_up(std::string("MPI_Init: ") + nereus_code_name(code));
    speaks_ = !newcomer_ && rank() == 0;
    EMPI_COMM_WORLD = nereus_comm(job_);
}

void EmpiJob::close() {
    EMPI_COMM_WORLD = MPI_COMM_NULL;
    if (job_ != nullptr) nereus_close(&job_);
}

void EmpiJob::settle() {
    arrays.settle(handle(), newcomer_);
    sparses.settle(newcomer_);
}

void EmpiJob::forget(const std::string &id) {
    arrays.remove(removed_ ? nullptr : job_, id);
    sparses.remove(id);
}

void EmpiJob::say_once(const std::string &what) {
    if (speaks_ && said_.insert(what).second) complain("warning: " + what);
}

int EmpiJob::step(nereus_redistribution_step step, const nereus_sides *sides, void *context) {
    auto &job = *static_cast<EmpiJob *>(context);
    if (step == NEREUS_MOVE) return job.move(*sides);
    if (step == NEREUS_ADOPT) {
        job.newcomer_ = job.newcomer_ || sides->source < 0;
        job.arrays.adopt(*sides);
        job.sparses.adopt(*sides);
    } else {
        job.arrays.drop();
        job.sparses.drop();
    }
    return 0;
}

int EmpiJob::move(const nereus_sides &sides) {
    int words[2] = {next_iteration_, rows_};
    MPI_Bcast(words, 2, MPI_INT, 0, sides.comm);
    next_iteration_ = words[0];
    rows_ = words[1];
    const int gathered = arrays.gather(sides); // all of both sides agree in it
    return gathered != 0 ? gathered : sparses.move(sides);
}

void EmpiJob::ask(int iteration) const {
    const int wanted = schedule_.at(iteration);
    if (wanted != 0 && nereus_resize(job_, wanted, nullptr, nullptr) < 0) complain(nereus_message(job_));
}

void EmpiJob::look_at_last_resize() {
    nereus_resize_report report;
    nereus_last_resize(job_, &report);
    if (report.request == settled_) return;
    settled_ = report.request;
    if (report.code < 0 && rank() == 0) complain(nereus_message(job_));
    EMPI_GLOBAL_lastoverhead_processes = report.process_seconds;
    EMPI_GLOBAL_lastoverhead_rdata = report.constant_seconds + report.variable_seconds;
    EMPI_GLOBAL_overhead_processes += EMPI_GLOBAL_lastoverhead_processes;
    EMPI_GLOBAL_overhead_rdata += EMPI_GLOBAL_lastoverhead_rdata;
    EMPI_GLOBAL_tover += EMPI_GLOBAL_lastoverhead_processes + EMPI_GLOBAL_lastoverhead_rdata;
}

bool EmpiJob::checkpoint(int iteration) {
    settle();
    next_iteration_ = iteration + 1;
    if (rank() == 0) ask(iteration);
    const int code = nereus_checkpoint(job_);
    if (code < 0) give_up(std::string("EMPI_Monitor_end: ") + nereus_message(job_));
    if (code != NEREUS_LEAVE) look_at_last_resize();
    if (code == NEREUS_GO_ON) return false;
    removed_ = code == NEREUS_LEAVE;
    EMPI_COMM_WORLD = removed_ ? MPI_COMM_NULL : nereus_comm(job_);
    return true;
}

}
