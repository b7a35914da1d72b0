// SPDX-License-Identifier: BSD-3-Clause
#include "job/founders.hpp"

#include "job/state/generation.hpp"
#include "mpi/library.hpp"

#include <utility>

namespace nereus::job {

plan::World shared_world(MPI_Comm comm) {
    plan::World world = new_world();
    MPI_Bcast(&world, 1, MPI_UINT64_T, 0, comm);
    return world;
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
