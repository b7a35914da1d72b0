// SPDX-License-Identifier: BSD-3-Clause
#include "job/founders.hpp"

#include "job/resize/next_generation.hpp"
#include "mpi/host.hpp"
#include "mpi/library.hpp"

#include <utility>

namespace nereus::job {
namespace {

/// Collective: a name for the world of all of them.
plan::World shared_world(MPI_Comm comm) {
    plan::World world = new_world();
    MPI_Bcast(&world, 1, MPI_UINT64_T, 0, comm);
    return world;
}

}

Result<Generation> generation_of_founders(MPI_Comm founders) {
    auto control = mpi::Comm::duplicate(founders);
    if (!control) return tl::unexpected(control.error());
    auto first = generation_of(std::move(*control));
    if (!first) return first;
    MPI_Comm members = first->control.get();
    first->first_world = shared_world(members);
    first->worlds.assign(static_cast<std::size_t>(first->control.size()), first->first_world);
    auto hosts = mpi::hosts_of(members);
    if (!hosts) return tl::unexpected(hosts.error());
    first->hosts = std::move(*hosts);
    auto processes = process::processes_of(members);
    if (!processes) return tl::unexpected(processes.error());
    first->processes = std::move(*processes);
    return first;
}

bool is_set_at_root(MPI_Comm comm, const std::string &setting) {
    int is_set = setting.empty() ? 0 : 1;
    MPI_Bcast(&is_set, 1, MPI_INT, 0, comm);
    return is_set != 0;
}

Done check_world(int started) {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (started == 0 || size >= started) return {};
    return failed(NEREUS_ERR_STATE, "MPI_COMM_WORLD has " + std::to_string(size) + " of the " +
                                        std::to_string(started) +
                                        " processes that were started together: the program, with " + mpi::library() +
                                        ", is not for the launcher's MPI (--mpi)");
}

bool take_restarted(const Settings &settings) {
    static bool taken = false;
    return settings.restarted && !std::exchange(taken, true);
}

}
