// SPDX-License-Identifier: BSD-3-Clause
// What newcomers and the root say to each other in a vote.
#pragma once

#include "job/data/shared_arrays.hpp"
#include "job/resize/commit.hpp"
#include "mpi/share.hpp"

#include <optional>
#include <vector>

namespace nereus::job {

/// What a process has to say: whether it is fine, and numbers that are added over all processes.
struct Vote {
    Done mine;
    std::vector<std::uint64_t> sums{};
    Handles made{}; ///< in the first vote of a newcomer: its files of shared arrays, for the others on its host
};

/// What the root decided. After a "no" there is nothing else to say.
struct Decision {
    Done all;
    Handles made = Handles::object(); ///< after the first vote: what newcomers made, of all of them
    std::vector<int> swaps{};         ///< after the vote on constant data: Registry::apply_swaps()
    /// In the place of swaps: the constant data has come, but the resize will be rolled back. All are there to close
    /// what drains read from, and the "no" comes next.
    bool only_to_close = false;
    std::optional<Commit> commit{}; ///< after the last vote
};

mpi::Bytes pack(const Vote &vote);
mpi::Bytes pack(const Decision &decision);

/// NEREUS_ERR_MISMATCH where the bytes are no such message.
Result<Vote> unpack_vote(const mpi::Bytes &bytes);
Result<Decision> unpack_decision(const mpi::Bytes &bytes);

}
