// SPDX-License-Identifier: BSD-3-Clause
// The one malleable job that a program of MaM has.
#pragma once

#include "configuration.hpp"
#include "data.hpp"
#include "user_phase.hpp"

namespace nereus::compat {

class MamJob {
public:
    static MamJob &only();

    /// Collective. @return MAM_SOURCES, MAM_TARGETS; a newcomer that is not wanted does not return
    int open(int root, MPI_Comm *comm, const char *program, UserFunction function);
    void close();

    /// Collective. @param[out] state  of enum mam_states @return MAM_OK, MAM_DENIED
    int checkpoint(int &state, bool wait, UserFunction function);

    /// For calls that need MAM_Init() before.
    nereus_job *handle() const;
    bool busy() const { return under_way_; }

    MamData data;
    Configuration configuration;
    UserPhase user{data, configuration};

private:
    /// What rank 0 has heard from nereus_resize(), on all processes.
    struct Answer {
        std::int64_t code = NEREUS_UNCHANGED;
        std::int64_t request = 0;
    };

    bool begin();
    Answer ask() const;
    bool was_undone() const;
    int denied(int &state, int code);
    void commit();
    void show_comm();
    [[noreturn]] void end_process();

    nereus_job *job_ = nullptr;
    MPI_Comm *shown_comm_ = nullptr;    ///< the application's variable
    MPI_Comm own_comm_ = MPI_COMM_NULL; ///< what it holds, if it was made here
    int root_ = 0;
    bool under_way_ = false;
    std::uint64_t request_ = 0;
};

}
