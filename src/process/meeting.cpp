// SPDX-License-Identifier: BSD-3-Clause
#include "process/meeting.hpp"

#include "mpi/bounded_call.hpp"
#include "mpi/port.hpp"
#include "mpi/share.hpp"
#include "mpi/waiting.hpp"

#include <optional>
#include <string>
#include <vector>

namespace nereus::process {
namespace {

constexpr int tag_up = 1, tag_answer = 2;
constexpr int tag_released = 21; // what nereus-release says (docs/formats/link.md)
constexpr int rolled_back = -1;  // other answers are methods
constexpr double seconds_to_answer = 20;

int size_of_other_side(const mpi::Comm &link) {
    int size = 0;
    MPI_Comm_remote_size(link.get(), &size);
    return size;
}

Error nobody_came() { return {NEREUS_ERR_PROCESS, "the newcomers ended before they were connected"}; }

std::optional<Error> look_for_release(const mpi::Comm &link) {
    int released = 0;
    MPI_Iprobe(0, tag_released, link.get(), &released, MPI_STATUS_IGNORE);
    if (released == 0) return std::nullopt;
    return nobody_came();
}

Done wait_for_all(const mpi::Comm &link, const Deadline &deadline) {
    if (auto why = look_for_release(link)) return tl::unexpected(*why);
    // Those who were stopped, and were had go on by the supervisor so that they connect, have come too late.
    if (auto why = deadline.over("connecting the newcomers")) return tl::unexpected(*why);
    // The words may arrive after we gave up: their place must outlive this call.
    static char word;
    std::vector<MPI_Request> requests;
    for (int i = 0; i < size_of_other_side(link); ++i) {
        MPI_Request &request = requests.emplace_back(MPI_REQUEST_NULL);
        if (auto done = mpi::check(MPI_Irecv(&word, 0, MPI_BYTE, i, tag_up, link.get(), &request), "MPI_Irecv"); !done)
            return done;
    }
    auto done = mpi::complete_all(requests, deadline, "starting");
    if (done || done.error().code != NEREUS_ERR_TIMEOUT) return done;
    if (auto why = look_for_release(link)) return tl::unexpected(*why);
    return failed(NEREUS_ERR_TIMEOUT, "not all newcomers reported in time that they have started");
}

/// Does not wait: a newcomer that never comes never takes its answer.
void answer_all(const mpi::Comm &link, int answer) {
    static int answers[] = {rolled_back, NEREUS_MERGE, NEREUS_BASELINE_INTER, NEREUS_BASELINE_INTRA};
    for (int i = 0; i < size_of_other_side(link); ++i) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(&answers[answer + 1], 1, MPI_INT, i, tag_answer, link.get(), &request);
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
}

Result<int> ask_what_to_do(const mpi::Comm &link) {
    int answer = rolled_back;
    MPI_Request request = MPI_REQUEST_NULL;
    auto done = mpi::check(MPI_Send(&answer, 0, MPI_BYTE, 0, tag_up, link.get()), "MPI_Send");
    if (done) done = mpi::check(MPI_Irecv(&answer, 1, MPI_INT, 0, tag_answer, link.get(), &request), "MPI_Irecv");
    // Rank 0 waits for all newcomers for the time to connect at most; one that was given up, and connected all the
    // same, hears nothing.
    const Deadline limit = Deadline::in(2 * mpi::seconds_to_start() + seconds_to_answer);
    if (done) done = mpi::complete(request, limit, "waiting for the answer of rank 0");
    if (!done) return tl::unexpected(done.error());
    return answer;
}

Result<Meeting> meet(mpi::Comm link, Method method, int sources, int newcomers, bool newcomer) {
    if (method == NEREUS_BASELINE_INTER) return Meeting{std::move(link), true, sources, newcomers};
    auto comm = mpi::merge(std::move(link), newcomer);
    if (!comm) return tl::unexpected(comm.error());
    return Meeting{std::move(*comm), false, sources, newcomers};
}

}

Result<Meeting> receive_newcomers(MPI_Comm members, mpi::Comm link, Method method, int newcomers,
                                  const Deadline &deadline) {
    int rank = 0, sources = 0;
    MPI_Comm_rank(members, &rank);
    MPI_Comm_size(members, &sources);
    if (size_of_other_side(link) != newcomers) {
        link.abandon();
        return tl::unexpected(nobody_came());
    }
    const Done mine = rank == 0 ? wait_for_all(link, deadline) : Done{};
    if (rank == 0) answer_all(link, mine ? static_cast<int>(method) : rolled_back);
    if (auto up = mpi::share_outcome(members, 0, mine); !up) {
        link.abandon();
        return tl::unexpected(up.error());
    }
    return meet(std::move(link), method, sources, newcomers, false);
}

Result<Meeting> join_sources(mpi::Comm link) {
    const auto asked = ask_what_to_do(link);
    const int answer = asked.value_or(rolled_back);
    if (answer == rolled_back) {
        link.abandon();
        if (!asked) return tl::unexpected(asked.error());
        return failed(NEREUS_ERR_TIMEOUT, "the resize was rolled back before this process had started");
    }
    const int sources = size_of_other_side(link), newcomers = link.size();
    return meet(std::move(link), static_cast<Method>(answer), sources, newcomers, true);
}

}
