// SPDX-License-Identifier: BSD-3-Clause
// What processes read of an epoch in memory and their host lacks: it comes from the hosts that have it into the files
// of this one.
#pragma once

#include "epochs/save_folder.hpp"
#include "job/saving/host_folders.hpp"
#include "job/saving/piece_exchange.hpp"
#include "job/saving/piece_holders.hpp"

#include <cstdint>
#include <set>
#include <tuple>
#include <vector>

namespace nereus::job {

/// Elements of an array of the epoch.
struct ElementsOf {
    std::size_t array;
    plan::Range elements;
};

class EpochFetch {
public:
    EpochFetch(const mpi::Comm &control, HostFolders folders, PieceHolders holders, epochs::ChunkFiles files)
        : comm_(control.get()), rank_(control.rank()), folders_(std::move(folders)), holders_(std::move(holders)),
          files_(std::move(files)) {}

    /// Collective: all of `wanted` is in the files of this host then, and is as it was written: others have copies of
    /// it, so that each is checked. NEREUS_ERR_MISMATCH names an array that was changed.
    Done fetch(const std::vector<ElementsOf> &wanted);

    /// Collective, after a failure: hosts on which something was changed do without the epoch, since others may have
    /// copies of it; where nobody knows of a host, all do.
    Done withdraw(epochs::SaveFolder folder, std::uint64_t epoch, bool is_damaged_here) const;

private:
    Result<Pieces> shared_among_here(const Pieces &all) const;
    Done check(const epochs::ChunkPiece &piece);
    std::vector<Pieces> asked_of_each(const Pieces &lacked, int ranks) const;

    MPI_Comm comm_;
    int rank_;
    HostFolders folders_;
    PieceHolders holders_;
    epochs::ChunkFiles files_;
    bool has_found_damage_ = false;                                          ///< in this host's files
    std::set<std::tuple<std::int64_t, std::int64_t, std::int64_t>> checked_; ///< pieces, by where they are
};

}
