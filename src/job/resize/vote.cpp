// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/vote.hpp"

#include "mpi/message.hpp"

namespace nereus::job {
namespace {

constexpr int tag_vote = 11, tag_decision = 12, tag_heard = 13;

Done count(const Vote &vote, Verdict &verdict) {
    for (std::size_t i = 0; i < verdict.sums.size() && i < vote.sums.size(); ++i) verdict.sums[i] += vote.sums[i];
    if (vote.made.is_object()) verdict.made.update(vote.made);
    return vote.mine;
}

Done take_vote(const process::Meeting &meeting, int newcomer, const Deadline &deadline, Verdict &verdict) {
    auto bytes = mpi::receive(meeting.comm.get(), meeting.rank_of_newcomer(newcomer), tag_vote, deadline);
    if (!bytes) return tl::unexpected(bytes.error());
    auto vote = unpack_vote(*bytes);
    return vote ? count(*vote, verdict) : Done(tl::unexpected(vote.error()));
}

/// Who is late or dead: the others of its party will not answer either.
bool is_silent(const Error &error) { return error.code == NEREUS_ERR_TIMEOUT || error.code == NEREUS_ERR_PROCESS; }

/// All newcomers are heard, also after a "no": who says "no" must not be left waiting by one who was not read.
Done take_votes(const process::Meeting &meeting, const Deadline &deadline, Verdict &verdict) {
    Done all;
    for (int newcomer = 0; newcomer < meeting.newcomers; ++newcomer) {
        auto done = take_vote(meeting, newcomer, deadline, verdict);
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
    const Done theirs = rank == 0 ? take_votes(*meeting, deadline, verdict) : Done{};
    verdict.all = mpi::share_outcome(sources, 0, theirs);
    return verdict;
}

void tell(const process::Meeting &meeting, int newcomers, const Decision &decision) {
    const mpi::Bytes bytes = pack(decision);
    for (int newcomer = 0; newcomer < newcomers; ++newcomer)
        (void)mpi::post(meeting.comm.get(), meeting.rank_of_newcomer(newcomer), tag_decision, bytes);
}

Result<Decision> vote_and_wait(const process::Meeting &meeting, const Vote &vote) {
    // The root does not read it where a source has said "no" before.
    if (auto sent = mpi::post(meeting.comm.get(), 0, tag_vote, pack(vote)); !sent) return tl::unexpected(sent.error());
    return wait_for_decision(meeting);
}

Result<Decision> wait_for_decision(const process::Meeting &meeting) {
    auto answer = mpi::receive(meeting.comm.get(), 0, tag_decision);
    if (!answer) return tl::unexpected(answer.error());
    auto decision = unpack_decision(*answer);
    if (decision && !decision->all) return tl::unexpected(decision->all.error());
    return decision;
}

void say_heard(const process::Meeting &meeting) { (void)mpi::post(meeting.comm.get(), 0, tag_heard, {}); }

void wait_until_heard(const process::Meeting &meeting, const Deadline &deadline) {
    for (int newcomer = 0; newcomer < meeting.newcomers; ++newcomer)
        if (!mpi::receive(meeting.comm.get(), meeting.rank_of_newcomer(newcomer), tag_heard, deadline)) return;
}

News rolled_back_by_root(const process::Meeting &meeting) {
    return [comm = meeting.comm.get()]() -> std::optional<Error> {
        auto told = mpi::has_message(comm, 0, tag_decision);
        if (!told) return told.error();
        return *told ? std::optional(Error{NEREUS_ERR_STATE, "the resize was rolled back"}) : std::nullopt;
    };
}

}
