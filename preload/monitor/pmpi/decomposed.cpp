// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/decomposed.hpp"

#include "pmpi/modelled.hpp"
#include "pmpi/moves.hpp"
#include "pmpi/ucx.hpp"

#if defined(NEREUS_OPENMPI_INSIDE)
#include "openmpi/messages.h"
#endif

namespace nereus::pmpi {

#if defined(NEREUS_OPENMPI_INSIDE)

namespace {

void sent_by_the_library(MPI_Comm comm, int to, std::size_t bytes) {
    if (on()) Now().one(Kind::decomposed, Communicator{comm}, to, bytes);
}

}

void watch_decomposed(MPI_Comm, bool) {
    nereus_openmpi_watch(sent_by_the_library);
    record().tell({{"event", "decomposed"}, {"source", "Open MPI's point-to-point layer"}});
    record().unseen("collectives that Open MPI carries out without messages",
                    "its components sm and han can do so in shared memory");
}

void unwatch_decomposed() { nereus_openmpi_unwatch(); }

#else

namespace {

void tell_source(const char *source) { record().tell({{"event", "decomposed"}, {"source", source}}); }

/// Of all processes.
int least(MPI_Comm comm, int value) {
    int least_value = value;
    PMPI_Allreduce(&value, &least_value, 1, MPI_INT, MPI_MIN, comm);
    return least_value;
}

void tell_by_model() {
    unwatch_ucx();
    if (begin_modelling())
        tell_source("a model of MPICH's algorithms; no message was seen");
    else
        record().unseen("collectives after they are decomposed", "there is no model of what this MPI does");
}

}

void watch_decomposed(MPI_Comm comm, bool model) {
    int ranks = 1;
    PMPI_Comm_size(comm, &ranks);
    const SeenByUcx seen = watch_ucx(comm);
    const bool sees_all = least(comm, seen.why.empty() && seen.ranks == ranks - 1) == 1;
    const bool all_see_some = least(comm, seen.why.empty()) == 1;
    if (!sees_all && model) return tell_by_model();
    if (all_see_some) {
        tell_source("messages that MPICH hands to UCX");
        if (!sees_all)
            record().unseen("messages of collectives to processes of the same host", "they do not go over UCX");
        return;
    }
    unwatch_ucx();
    record().unseen("collectives after they are decomposed",
                    seen.why.empty() ? "MPICH hands no message of other processes to UCX" : seen.why);
}

void unwatch_decomposed() {
    unwatch_ucx();
    modelling = false;
}

#endif

}
