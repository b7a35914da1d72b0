// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/sessions.hpp"

#include "pmpi/options.hpp"
#include "pmpi/sensor.hpp"

namespace nereus::pmpi {

#if defined(NEREUS_SESSIONS)

namespace {

std::atomic<int> number_open{0};
/// Ours, so that what we need outlives the program's sessions; MPI_SESSION_NULL: the record did not begin with one.
MPI_Session own_session = MPI_SESSION_NULL;

bool is_wanted() {
    const Options options = read_options();
    return options.has_record && !options.run.empty();
}

MPI_Group everybody() {
    MPI_Group all = MPI_GROUP_NULL;
    PMPI_Group_from_session_pset(own_session, "mpi://WORLD", &all);
    return all;
}

bool is_of_all(MPI_Comm comm) {
    MPI_Group members = MPI_GROUP_NULL, all = everybody();
    PMPI_Comm_group(comm, &members);
    int comparison = MPI_UNEQUAL;
    PMPI_Group_compare(members, all, &comparison);
    PMPI_Group_free(&members);
    PMPI_Group_free(&all);
    return comparison != MPI_UNEQUAL;
}

int make_own(MPI_Comm, MPI_Comm *made) {
    MPI_Group all = everybody();
    const int code = PMPI_Comm_create_from_group(all, "nereus-monitor", MPI_INFO_NULL, MPI_ERRORS_RETURN, made);
    PMPI_Group_free(&all);
    return code;
}

}

void session_opened() { ++number_open; }

void begin_if_all(MPI_Comm comm) {
    static std::atomic<bool> was_tried{false};
    if (has_record() || was_tried || !is_wanted()) return;
    PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &own_session);
    if (is_of_all(comm)) {
        begin("pmpi", {comm, make_own});
        was_tried = !has_record();
    }
    if (!has_record()) PMPI_Session_finalize(&own_session);
}

void session_to_be_closed() {
    if (--number_open > 0 || !began_with_sessions()) return;
    end_if_all_do();
    PMPI_Session_finalize(&own_session);
}

bool began_with_sessions() { return own_session != MPI_SESSION_NULL; }

#else

bool began_with_sessions() { return false; }

#endif

}
