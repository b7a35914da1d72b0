// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/agreement.hpp"

#include "base/clock.hpp"
#include "pmpi/tree.hpp"

#include <mpi.h>
#include <random>
#include <thread>

namespace nereus::pmpi {
namespace {

/// Messages on the program's communicator, with the highest tag: a communicator of our own could not be made before it
/// is known that all take part, and a collective would meet the collectives of those who do not.
int highest_tag(MPI_Comm comm) {
    void *value = nullptr;
    int is_set = 0;
    PMPI_Comm_get_attr(comm, MPI_TAG_UB, &value, &is_set);
    return is_set ? *static_cast<int *>(value) : 32767;
}

class Waiting {
public:
    Waiting(MPI_Comm comm, double time_limit)
        : comm_(comm), deadline_(Deadline::in(time_limit)), tag_(highest_tag(comm)) {}

    bool receive(void *into, int bytes, int from) {
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Irecv(into, bytes, MPI_BYTE, from, tag_, comm_, &request);
        int done = 0;
        for (PMPI_Test(&request, &done, MPI_STATUS_IGNORE); !done; PMPI_Test(&request, &done, MPI_STATUS_IGNORE)) {
            if (deadline_.over("the other processes")) return give_up(request);
            std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
        return true;
    }
    void send(const void *from, int bytes, int to) { PMPI_Send(from, bytes, MPI_BYTE, to, tag_, comm_); }

private:
    static bool give_up(MPI_Request &request) {
        PMPI_Cancel(&request);
        PMPI_Wait(&request, MPI_STATUS_IGNORE);
        return false;
    }

    MPI_Comm comm_;
    Deadline deadline_;
    int tag_;
};

Story new_story() {
    Story story;
    std::random_device random;
    constexpr std::string_view digits = "0123456789abcdef";
    for (int i = 0; i < 16; ++i) story.world[i] = digits[random() % digits.size()];
    story.started = unix_now();
    return story;
}

}

Result<Story> agree(MPI_Comm world, double time_limit) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(world, &rank);
    PMPI_Comm_size(world, &ranks);
    Waiting waiting(world, time_limit);
    const std::vector<int> children = children_in_tree(rank, ranks);
    const int parent = parent_in_tree(rank);
    bool all = true;
    for (const int child : children) {
        int with_all = 0;
        all = waiting.receive(&with_all, sizeof with_all, child) && with_all && all;
    }
    Story story;
    if (parent < 0) {
        if (all) story = new_story();
    } else {
        const int with_all = all;
        waiting.send(&with_all, sizeof with_all, parent);
        if (!waiting.receive(&story, sizeof story, parent)) story = {};
    }
    for (const int child : children) waiting.send(&story, sizeof story, child);
    if (story.started == 0) return failed(NEREUS_ERR_TIMEOUT, "not all processes have the monitor loaded");
    return story;
}

}
