// SPDX-License-Identifier: BSD-3-Clause
// Epochs in memory: copies of the arrays in shared memory, which outlive the processes of the job.
//
// There are two sets of copies, which epochs take in turns: whoever dies while one is made, the epoch before is whole.
// Arrays that never change are not copied, their own files are kept. After Plank, Li and Puening, Diskless
// Checkpointing, IEEE TPDS 1998; what outlives the processes is not another one's memory, but files that the supervisor
// has open.
#pragma once

#include "job/data/shared_arrays.hpp"
#include "job/resize/job_state.hpp"
#include "job/saving/epoch_saving.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace nereus::job {

class EpochCopies {
public:
    /// Collective, as Destination::keep. NEREUS_ERR_UNSUPPORTED on several hosts, NEREUS_ERR_MEMORY where there is no
    /// room for the copies; what the supervisor cannot keep, and what is not in shared memory, is to be written.
    Result<std::vector<KeptArray>> take(JobState &job, std::uint64_t request, std::uint64_t epoch);

private:
    struct Set {
        std::int64_t generation = -1;
        Segments arrays{}; ///< by entry: of what
        Segments copies{}; ///< null where none is needed
        std::vector<KeptArray> kept{};

        bool is_for(const JobState &job) const;
    };

    static Result<Set> make(JobState &job, std::uint64_t request, std::uint64_t epoch);

    std::array<Set, 2> sets_;
};

}
