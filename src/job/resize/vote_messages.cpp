// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/vote_messages.hpp"

#include "job/state/checked_json.hpp"

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int lowest_code = -1000; // below all errors that there are, of later versions too

json as_json(const Done &done) {
    return done ? json{{"code", int{NEREUS_OK}}} : json{{"code", int{done.error().code}}, {"what", done.error().what}};
}

Done done_from(const json &in) {
    const int code = whole(in, "code", lowest_code, int{NEREUS_OK});
    return code == NEREUS_OK ? Done{} : Done(failed(static_cast<nereus_code>(code), in.at("what")));
}

/// What is in it is looked at when a file is opened by it.
Handles handles_from(const json &in) {
    if (!in.is_object() && !in.is_null()) throw std::out_of_range("made = " + in.dump());
    return in;
}

}

mpi::Bytes pack(const Vote &vote) {
    return json::to_msgpack({{"mine", as_json(vote.mine)}, {"sums", vote.sums}, {"made", vote.made}});
}

Result<Vote> unpack_vote(const mpi::Bytes &bytes) try {
    const json in = json::from_msgpack(bytes);
    return Vote{done_from(in.at("mine")), in.at("sums").get<std::vector<std::uint64_t>>(), handles_from(in.at("made"))};
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the vote of a newcomer cannot be read: ") + problem.what());
}

mpi::Bytes pack(const Decision &decision) {
    return json::to_msgpack({{"all", as_json(decision.all)},
                             {"made", decision.made},
                             {"swaps", decision.swaps},
                             {"only_to_close", decision.only_to_close},
                             {"commit", decision.commit ? as_json(*decision.commit) : json()}});
}

Result<Decision> unpack_decision(const mpi::Bytes &bytes) try {
    const json in = json::from_msgpack(bytes);
    Decision decision;
    decision.all = done_from(in.at("all"));
    decision.made = handles_from(in.at("made"));
    decision.swaps = in.at("swaps").get<std::vector<int>>();
    decision.only_to_close = in.at("only_to_close");
    if (const json &commit = in.at("commit"); !commit.is_null()) decision.commit = commit_from(commit);
    return decision;
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the job's decision cannot be read: ") + problem.what());
}

}
