// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/meetings.hpp"

#include "base/clock.hpp"
#include "pmpi/sensor.hpp"
#include "pmpi/worlds.hpp"

namespace nereus::pmpi {
namespace {

const double loaded = unix_now();
thread_local double began = 0;

nlohmann::ordered_json runs_of(MPI_Group group) {
    int size = 0;
    PMPI_Group_size(group, &size);
    auto runs = worlds().runs(group, size);
    PMPI_Group_free(&group);
    return runs;
}

void tell(const char *by, MPI_Comm others, double begin) {
    MPI_Group own = MPI_GROUP_NULL, remote = MPI_GROUP_NULL;
    PMPI_Comm_group(others, &own);
    PMPI_Comm_remote_group(others, &remote);
    record().tell({{"event", "met"},
                   {"by", by},
                   {"begin_unix", begin},
                   {"end_unix", unix_now()},
                   {"own", runs_of(own)},
                   {"members", runs_of(remote)}});
}

}

void meeting_begins() { began = unix_now(); }

void met(const char *by, MPI_Comm others) {
    if (others != MPI_COMM_NULL) tell(by, others, began);
}

void met_parents() {
    MPI_Comm parents = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parents);
    if (parents != MPI_COMM_NULL) tell("parent", parents, loaded);
}

}
