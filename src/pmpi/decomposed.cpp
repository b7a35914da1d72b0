// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/decomposed.hpp"

#include "pmpi/modelled.hpp"
#include "pmpi/moves.hpp"

#if defined(NEREUS_OPENMPI_INSIDE)
#include "openmpi/messages.h"
#endif

namespace nereus::pmpi {

#if defined(NEREUS_OPENMPI_INSIDE)

namespace {

void sent_by_the_library(MPI_Comm comm, int to, std::size_t bytes) {
    if (on()) Now().one(Kind::decomposed, Thread::here().members(comm), to, bytes);
}

}

void watch_decomposed(bool) {
    nereus_openmpi_watch(sent_by_the_library);
    record().tell({{"event", "decomposed"}, {"source", "Open MPI's point-to-point layer"}});
    record().unseen("collectives that Open MPI carries out without messages",
                    "its components sm and han can do so in shared memory");
}

void unwatch_decomposed() { nereus_openmpi_unwatch(); }

#else

void watch_decomposed(bool model) {
    if (model && begin_modelling())
        record().tell({{"event", "decomposed"}, {"source", "a model of MPICH's algorithms; no message was seen"}});
    else
        record().unseen("collectives after they are decomposed",
                        model ? "there is no model of what this MPI does"
                              : "this sensor stands between the program and the MPI library");
}

void unwatch_decomposed() { modelling = false; }

#endif

}
