// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/vote.hpp"

#include "mpi/message.hpp"

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int tag_vote = 11, tag_decision = 12, tag_heard = 13;

json as_json(const Done &done) {
    return done ? json{{"code", int{NEREUS_OK}}} : json{{"code", int{done.error().code}}, {"what", done.error().what}};
}

Done done_from(const json &in) {
    if (in.at("code") == int{NEREUS_OK}) return {};
    return failed(static_cast<nereus_code>(in.at("code").get<int>()), in.at("what"));
}

Done read_vote(const mpi::Bytes &bytes, Verdict &verdict) try {
    const json vote = json::from_msgpack(bytes);
    const auto theirs = vote.at("sums").get<std::vector<std::uint64_t>>();
    for (std::size_t i = 0; i < verdict.sums.size() && i < theirs.size(); ++i) verdict.sums[i] += theirs[i];
    verdict.details.push_back(vote.at("details"));
    return done_from(vote);
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the vote of a newcomer cannot be read: ") + problem.what());
}

Done take_vote(const process::Meeting &meeting, int newcomer, const Deadline &deadline, Verdict &verdict) {
    auto bytes = mpi::receive(meeting.comm.get(), meeting.rank_of_newcomer(newcomer), tag_vote, deadline);
    if (!bytes) return tl::unexpected(bytes.error());
    return read_vote(*bytes, verdict);
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

void tell(const process::Meeting &meeting, int newcomers, const Done &decision, const json &details) {
    json message = as_json(decision);
    message["details"] = details;
    const mpi::Bytes bytes = json::to_msgpack(message);
    for (int newcomer = 0; newcomer < newcomers; ++newcomer)
        (void)mpi::post(meeting.comm.get(), meeting.rank_of_newcomer(newcomer), tag_decision, bytes);
}

Result<json> vote_and_wait(const process::Meeting &meeting, const Vote &vote) {
    json message = as_json(vote.mine);
    message["sums"] = vote.sums;
    message["details"] = vote.details;
    const mpi::Bytes bytes = json::to_msgpack(message);
    const MPI_Comm comm = meeting.comm.get();
    // The root does not read it where a source has said "no" before.
    if (auto sent = mpi::post(comm, 0, tag_vote, bytes); !sent) return tl::unexpected(sent.error());
    return wait_for_decision(meeting);
}

Result<json> wait_for_decision(const process::Meeting &meeting) {
    auto answer = mpi::receive(meeting.comm.get(), 0, tag_decision);
    if (!answer) return tl::unexpected(answer.error());
    const json decision = json::from_msgpack(*answer);
    if (auto done = done_from(decision); !done) return tl::unexpected(done.error());
    return decision.at("details");
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
