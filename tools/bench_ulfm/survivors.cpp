// SPDX-License-Identifier: BSD-3-Clause
#include "survivors.hpp"

#include "copies.hpp"

#include <mpi-ext.h>

namespace ulfm_bench {
namespace {

MPI_Comm merged(MPI_Comm both, bool newcomer) {
    MPI_Comm all = MPI_COMM_NULL;
    check(MPI_Intercomm_merge(both, newcomer ? 1 : 0, &all));
    check(MPI_Comm_free(&both));
    check(MPI_Comm_set_errhandler(all, MPI_ERRORS_RETURN));
    return all;
}

}

MPI_Comm survivors_of(MPI_Comm former) {
    MPI_Comm left = MPI_COMM_NULL;
    MPIX_Comm_revoke(former); // who waits for others than the dead comes here too
    check(MPIX_Comm_shrink(former, &left));
    check(MPI_Comm_set_errhandler(left, MPI_ERRORS_RETURN));
    MPI_Comm_free(&former);
    return left;
}

MPI_Comm with_newcomers(MPI_Comm left, int missing, char **argv) {
    MPI_Comm both = MPI_COMM_NULL;
    check(MPI_Comm_spawn(argv[0], argv + 1, missing, MPI_INFO_NULL, 0, left, &both, MPI_ERRCODES_IGNORE));
    check(MPI_Comm_free(&left));
    return merged(both, false);
}

MPI_Comm with_those_before() {
    MPI_Comm both = MPI_COMM_NULL;
    check(MPI_Comm_get_parent(&both));
    return both == MPI_COMM_NULL ? MPI_COMM_NULL : merged(both, true);
}

}
