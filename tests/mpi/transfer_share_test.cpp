// SPDX-License-Identifier: BSD-3-Clause
// A user would slow an application, or never see the end of a transfer, if what moves data beside the application took
// another share than the settings say.
#include "expect.hpp"

#include "base/cores.hpp"
#include "mpi/comm.hpp"
#include "transfer/transfer.hpp"

#include <cmath>
#include <limits>

using namespace testing_mpi;
using namespace nereus;

namespace {

double share_of(transfer::Method method, const transfer::Limits &limits) {
    auto comm = mpi::Comm::duplicate(MPI_COMM_SELF);
    transfer::Windows windows;
    const transfer::Sending sending(method, NEREUS_WAIT_DRAINS, {comm->get(), {0}}, {}, limits, windows);
    return sending.share();
}

bool is(double share, double expected) { return std::abs(share - expected) < 1e-12; }

void looks_take_the_share_of_their_method() {
    transfer::Limits limits;
    expect(is(share_of(NEREUS_P2P, limits), 0.2) && is(share_of(NEREUS_COL, limits), 0.2), "a fifth is usual");
    expect(is(share_of(NEREUS_RMA_LOCKALL, limits), 0.02), "a fiftieth is usual with windows");
    limits.shares = {0.5, 0.25, 0.125};
    expect(is(share_of(NEREUS_P2P, limits), 0.5) && is(share_of(NEREUS_COL, limits), 0.5), "what was given");
    expect(is(share_of(NEREUS_RMA_LOCK, limits), 0.25), "what was given for windows");
    limits.shares = {1, 1, 1};
    expect(is(share_of(NEREUS_P2P, limits), 1) && is(share_of(NEREUS_RMA_LOCK, limits), 1), "all of it");
}

void ranks_that_share_cores_take_less() {
    transfer::Limits limits;
    limits.shares = {0.5, 0.25, 0.125};
    limits.ranks_on_host = 2 * usable_cores();
    expect(is(share_of(NEREUS_P2P, limits), 0.25) && is(share_of(NEREUS_RMA_LOCK, limits), 0.125), "half of it");
}

void a_transfer_in_a_hurry_takes_at_least_what_messages_may() {
    transfer::Limits limits;
    limits.polite_seconds = -1;
    expect(is(share_of(NEREUS_RMA_LOCK, limits), 0.2), "as messages");
    limits.shares.one_sided = 0.75;
    expect(is(share_of(NEREUS_RMA_LOCK, limits), 0.75), "not less than before");
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    looks_take_the_share_of_their_method();
    ranks_that_share_cores_take_less();
    a_transfer_in_a_hurry_takes_at_least_what_messages_may();
    MPI_Finalize();
    return 0;
}
