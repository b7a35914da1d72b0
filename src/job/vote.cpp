// SPDX-License-Identifier: BSD-3-Clause
#include "job/vote.hpp"

#include <sched.h>

#include <memory>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int tag_vote = 11, tag_decision = 12;

json as_json(const Done &done) {
    return done ? json{{"code", int{NEREUS_OK}}} : json{{"code", int{done.error().code}}, {"what", done.error().what}};
}

Done done_from(const json &in) {
    if (in.at("code") == int{NEREUS_OK}) return {};
    return failed(static_cast<nereus_code>(in.at("code").get<int>()), in.at("what"));
}

/// The message of `rank`, whose length its sender knows alone.
Result<mpi::Bytes> receive(MPI_Comm comm, int rank, int tag) {
    MPI_Status status;
    if (auto done = mpi::check(MPI_Probe(rank, tag, comm, &status), "MPI_Probe"); !done)
        return tl::unexpected(done.error());
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    mpi::Bytes bytes(static_cast<std::size_t>(size));
    auto done = mpi::check(MPI_Recv(bytes.data(), size, MPI_BYTE, rank, tag, comm, MPI_STATUS_IGNORE), "MPI_Recv");
    if (!done) return tl::unexpected(done.error());
    return bytes;
}

Done wait_for_message(MPI_Comm comm, int rank, const Deadline &deadline) {
    for (int there = 0;;) {
        auto done = mpi::check(MPI_Iprobe(rank, tag_vote, comm, &there, MPI_STATUS_IGNORE), "MPI_Iprobe");
        if (!done || there != 0) return done;
        if (auto why = deadline.over("the vote of a newcomer")) return tl::unexpected(*why);
        sched_yield();
    }
}

Done take_vote(const process::Meeting &meeting, int newcomer, const Deadline &deadline,
               std::vector<std::uint64_t> &sums) {
    const int rank = meeting.rank_of_newcomer(newcomer);
    if (auto done = wait_for_message(meeting.comm.get(), rank, deadline); !done) return done;
    auto bytes = receive(meeting.comm.get(), rank, tag_vote);
    if (!bytes) return tl::unexpected(bytes.error());
    const json vote = json::from_msgpack(*bytes);
    const auto theirs = vote.at("sums").get<std::vector<std::uint64_t>>();
    for (std::size_t i = 0; i < sums.size() && i < theirs.size(); ++i) sums[i] += theirs[i];
    return done_from(vote);
}

/// Who is late or dead: the others of its party will not answer either.
bool is_silent(const Error &error) { return error.code == NEREUS_ERR_TIMEOUT || error.code == NEREUS_ERR_PROCESS; }

/// All newcomers are heard, also after a "no": who says "no" must not be left waiting by one who was not read.
Done take_votes(const process::Meeting &meeting, const Deadline &deadline, std::vector<std::uint64_t> &sums) {
    Done all;
    for (int newcomer = 0; newcomer < meeting.newcomers; ++newcomer) {
        auto done = take_vote(meeting, newcomer, deadline, sums);
        if (!done && all) all = done;
        if (!done && is_silent(done.error())) break;
    }
    return all;
}

}

Verdict collect(MPI_Comm sources, const process::Meeting *meeting, const Vote &vote, const Deadline &deadline) {
    int rank = 0;
    MPI_Comm_rank(sources, &rank);
    Verdict verdict{mpi::agree(sources, vote.mine), std::vector<std::uint64_t>(vote.sums.size())};
    auto added = mpi::check(MPI_Allreduce(vote.sums.data(), verdict.sums.data(), static_cast<int>(vote.sums.size()),
                                          MPI_UINT64_T, MPI_SUM, sources),
                            "MPI_Allreduce");
    if (!added && verdict.all) verdict.all = added;
    if (meeting == nullptr || !verdict.all) return verdict;
    const Done theirs = rank == 0 ? take_votes(*meeting, deadline, verdict.sums) : Done{};
    verdict.all = mpi::share_outcome(sources, 0, theirs);
    return verdict;
}

void tell(const process::Meeting &meeting, const Done &decision, const json &details) {
    json message = as_json(decision);
    message["details"] = details;
    const mpi::Bytes bytes = json::to_msgpack(message);
    for (int newcomer = 0; newcomer < meeting.newcomers; ++newcomer) {
        // A message to the dead is never complete: its bytes belong to MPI then, and are lost on purpose.
        auto kept = std::make_unique<mpi::Bytes>(bytes);
        MPI_Request request = MPI_REQUEST_NULL;
        int sent = 0;
        MPI_Isend(kept->data(), static_cast<int>(kept->size()), MPI_BYTE, meeting.rank_of_newcomer(newcomer),
                  tag_decision, meeting.comm.get(), &request);
        MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
        if (sent != 0) continue;
        MPI_Request_free(&request);
        [[maybe_unused]] const mpi::Bytes *left_to_mpi = kept.release();
    }
}

Result<json> vote_and_wait(const process::Meeting &meeting, const Vote &vote) {
    json message = as_json(vote.mine);
    message["sums"] = vote.sums;
    const mpi::Bytes bytes = json::to_msgpack(message);
    const MPI_Comm comm = meeting.comm.get();
    auto sent =
        mpi::check(MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, 0, tag_vote, comm), "MPI_Send");
    if (!sent) return tl::unexpected(sent.error());
    auto answer = receive(comm, 0, tag_decision);
    if (!answer) return tl::unexpected(answer.error());
    const json decision = json::from_msgpack(*answer);
    if (auto done = done_from(decision); !done) return tl::unexpected(done.error());
    return decision.at("details");
}

}
