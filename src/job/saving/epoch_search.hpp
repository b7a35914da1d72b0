// SPDX-License-Identifier: BSD-3-Clause
// The newest epoch in memory of which the hosts that a job has now have everything between them.
#pragma once

#include "job/saving/epoch_document.hpp"
#include "job/saving/host_folders.hpp"
#include "job/saving/piece_holders.hpp"

namespace nereus::job {

/// An epoch on several hosts, as all founders know it.
struct EpochOnHosts {
    std::uint64_t epoch;
    EpochDocument document;
    PieceHolders holders;
};

/// Collective over the founders. Each host has a folder of the epoch then, with no elements in it where the host is
/// new, and none of a newer one. NEREUS_ERR_SETTING where there is no such epoch says what is missing of the newest.
Result<EpochOnHosts> find_on_hosts(const mpi::Comm &control, const HostFolders &folders);

}
