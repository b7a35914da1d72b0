// SPDX-License-Identifier: BSD-3-Clause
// The one malleable job that a program of FlexMPI has.
#pragma once

#include "arrays.hpp"
#include "schedule.hpp"
#include "sparse.hpp"

#include <nereus/nereus.h>

#include <set>
#include <string>

namespace nereus::compat {

class EmpiJob {
public:
    static EmpiJob &only();

    /// Collective, after MPI is initialised. A newcomer that is not wanted does not return.
    void open();
    /// Before MPI is finalised. Where the process cannot end yet, it sleeps here.
    void close();

    bool newcomer() const { return newcomer_; }
    bool removed() const { return removed_; }
    int rank() const;
    int size() const;
    double seconds() const { return MPI_Wtime() - begin_; }
    int iteration() const { return next_iteration_; }

    void cut(int rows) { rows_ = rows; }
    int cut_rows() const { return rows_; }
    Rows rows() const; ///< of this process

    void settle();
    void forget(const std::string &id);
    /// What is the same on all processes, in one line of the founders' first one, once.
    void say_once(const std::string &what);

    /// Collective, at the end of an iteration. @return whether the processes are others now
    bool checkpoint(int iteration);

    EmpiArrays arrays;
    EmpiSparses sparses;

private:
    nereus_job *handle() const;
    static int step(nereus_redistribution_step step, const nereus_sides *sides, void *context);
    int move(const nereus_sides &sides);
    void read_schedule();
    void ask(int iteration) const;
    void look_at_last_resize();

    nereus_job *job_ = nullptr;
    Schedule schedule_;
    bool newcomer_ = false;
    bool removed_ = false;
    int rows_ = 0;
    int next_iteration_ = 0;
    double begin_ = 0;
    std::uint64_t settled_ = 0; ///< the latest request whose end was looked at
    bool speaks_ = false;
    std::set<std::string> said_;
};

}
