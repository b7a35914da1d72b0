// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/waiting.hpp"

#include <unistd.h>

namespace nereus::mpi {
namespace {

constexpr useconds_t rest_microseconds = 50, sleep_microseconds = 1000;

void give_up(std::vector<MPI_Request> &requests) {
    for (MPI_Request &request : requests)
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
}

}

Result<bool> is_complete(MPI_Request &request, const char *what) {
    int there = 0;
    for (int asked = 0; there == 0 && asked < times_to_ask; ++asked)
        if (auto done = check(MPI_Test(&request, &there, MPI_STATUS_IGNORE), what); !done)
            return tl::unexpected(done.error());
    return there != 0;
}

void rest() { usleep(rest_microseconds); }

Done complete_asleep(MPI_Request &request, const char *what) {
    for (int there = 0; there == 0;) {
        if (auto done = check(MPI_Test(&request, &there, MPI_STATUS_IGNORE), what); !done) return done;
        if (there == 0) usleep(sleep_microseconds);
    }
    return {};
}

Done complete_all(std::vector<MPI_Request> &requests, const Deadline &deadline, const char *what) {
    int all = 0;
    for (int round = 0; all == 0; ++round) {
        const int code = MPI_Testall(static_cast<int>(requests.size()), requests.data(), &all, MPI_STATUSES_IGNORE);
        if (code != MPI_SUCCESS) {
            give_up(requests);
            return check(code, what);
        }
        if (all != 0) break;
        if (auto why = deadline.over(what)) {
            give_up(requests);
            return tl::unexpected(*why);
        }
        // Ranks may outnumber cores: the one that is waited for needs ours.
        if (round % 64 == 63) rest();
    }
    return {};
}

}
