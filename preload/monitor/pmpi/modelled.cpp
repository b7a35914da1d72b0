// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/modelled.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace nereus::pmpi {

bool modelling = false;

namespace {

monitor::MpichLimits limits;

/// Of the variables of MPI_T; `into` stays as it is where there is none of the name.
void read_variable(const std::string &name, std::uint64_t &into) {
    int index = 0, number = 0, value = 0;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    if (PMPI_T_cvar_get_index(name.c_str(), &index) != MPI_SUCCESS) return;
    if (PMPI_T_cvar_handle_alloc(index, nullptr, &handle, &number) != MPI_SUCCESS) return;
    if (number == 1 && PMPI_T_cvar_read(handle, &value) == MPI_SUCCESS && value >= 0)
        into = static_cast<std::uint64_t>(value);
    PMPI_T_cvar_handle_free(&handle);
}

void read_limits() {
    int provided = 0;
    if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return;
    limits = {};
    read_variable("MPIR_CVAR_BCAST_SHORT_MSG_SIZE", limits.bcast_short_msg_size);
    read_variable("MPIR_CVAR_BCAST_LONG_MSG_SIZE", limits.bcast_long_msg_size);
    read_variable("MPIR_CVAR_BCAST_MIN_PROCS", limits.bcast_min_procs);
    read_variable("MPIR_CVAR_REDUCE_SHORT_MSG_SIZE", limits.reduce_short_msg_size);
    read_variable("MPIR_CVAR_ALLREDUCE_SHORT_MSG_SIZE", limits.allreduce_short_msg_size);
    read_variable("MPIR_CVAR_ALLGATHER_SHORT_MSG_SIZE", limits.allgather_short_msg_size);
    read_variable("MPIR_CVAR_ALLGATHER_LONG_MSG_SIZE", limits.allgather_long_msg_size);
    read_variable("MPIR_CVAR_ALLTOALL_SHORT_MSG_SIZE", limits.alltoall_short_msg_size);
    read_variable("MPIR_CVAR_REDSCAT_COMMUTATIVE_LONG_MSG_SIZE", limits.red_scat_commutative_long_msg_size);
    PMPI_T_finalize();
}

}

bool begin_modelling() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    PMPI_Get_library_version(text, &length);
    modelling = std::string(text).find("MPICH") != std::string::npos;
    if (modelling) read_limits();
    return modelling;
}

void each_modelled(monitor::Call call, const Members &members, std::vector<std::uint64_t> sizes, int root,
                   MPI_Count elements, const monitor::TakeSent &take) {
    monitor::sent_by_mpich({call, members.rank(), members.size(), root, std::move(sizes),
                            static_cast<std::uint64_t>(std::max<MPI_Count>(elements, 0))},
                           limits, take);
}

}
