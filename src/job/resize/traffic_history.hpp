// SPDX-License-Identifier: BSD-3-Clause
// What the ranks of a job sent each other, as the monitor saw it.
#pragma once

#include "job/state/generation.hpp"
#include "mpi/check.hpp"
#include "plan/mapping/traffic.hpp"

#include <map>
#include <optional>
#include <vector>

namespace nereus::job {

/// Of rows: the peers to which a rank sends most. So rank 0 can hold those of any job.
inline constexpr std::size_t most_peers = 512;

class TrafficHistory {
public:
    /// Collective over the generation: rank 0 gets to know what its ranks sent each other since it began.
    Done gather(const Generation &now);

    /// On rank 0. Nothing where nobody measured.
    const std::optional<plan::mapping::Traffic> &in_this_generation() const { return in_this_generation_; }
    /// On rank 0: the same of the latest generation that had so many ranks and was heard. NULL: there is none.
    const plan::mapping::Traffic *with_ranks(int ranks) const;

    /// Bytes that may have been our own words in this generation, which has passed so many checkpoints. What goes
    /// between hosts is worth a thought only above that.
    double own_words(int ranks, std::int64_t iteration) const;

    /// What a resize sends that is rolled back is none of the program's.
    void resize_begins(const Generation &now);
    void resize_undone(const Generation &now);
    void generation_begins(std::int64_t iteration);

private:
    using Bytes = std::vector<std::uint64_t>; ///< of this process, to each rank

    std::optional<Bytes> of_the_program(const Generation &now) const;

    std::optional<plan::mapping::Traffic> in_this_generation_;
    std::map<int, plan::mapping::Traffic> with_ranks_;
    std::int64_t began_at_ = 0; ///< checkpoints that the job had passed
    Bytes at_begin_;            ///< of the resize under way
    Bytes by_resizes_;          ///< in this generation
};

}
