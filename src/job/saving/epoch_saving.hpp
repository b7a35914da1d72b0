// SPDX-License-Identifier: BSD-3-Clause
// Saves an epoch: what is registered, as it is at one checkpoint, in the folder of the setting `save`.
//
// Each process writes elements of its own straight into chunks in global order, where its part is a range; parts that
// are dealt out travel there first (global_order.hpp). Rank 0 makes the folders before and completes the epoch after
// that. An epoch that is not completed, whoever failed or died, is none: the one before is still there.
#pragma once

#include "job/resize/job_state.hpp"
#include "job/saving/constant_pieces.hpp"
#include "job/saving/epoch_document.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace nereus::job {

struct SavedEpoch {
    std::uint64_t number = 0;
    std::int64_t bytes = 0; ///< of all arrays and values
    double seconds = 0;
};

/// On rank 0: whether epochs can go to the folder, which is made where there is none. NEREUS_ERR_SETTING where
/// something else is there, or epochs that the job does not continue from.
Done prepare_saving(const Settings &settings);

/// Whether the job continues from its epoch in memory of several hosts.
bool continues_from_hosts(const Settings &settings);

/// NEREUS_ERR_UNSUPPORTED where the application has data that nobody but itself can save.
Done check_can_be_saved();

/// Where an epoch goes, and what differs in one for a restart.
struct Destination {
    std::string folder;
    /// Collective, the same on all: of each entry, for the epoch of this number, where others will find its elements;
    /// no file where they are to be written. Without it all are.
    std::function<Result<std::vector<KeptArray>>(std::uint64_t)> keep{};
    /// On rank 0, when all data is saved: adds to what the epoch says of itself.
    std::function<void(EpochDocument &)> complete{};
    /// Where each host has its part of the epoch in a folder of its own there, and a copy of that of another host.
    ConstantPieces *on_hosts = nullptr;
};

/// Collective, at a checkpoint, while no resize is under way. The same on all processes.
Result<SavedEpoch> save_epoch(JobState &job, const Destination &destination);

/// "epoch 3 was saved: 1.2 GB in 0.8 s"
std::string sentence(const SavedEpoch &saved);

}
