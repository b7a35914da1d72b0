// SPDX-License-Identifier: BSD-3-Clause
// The folder in which a job's epochs are kept: a group of Zarr version 3 with one group for each epoch.
//
// An epoch is made under a name that begins with a point, which Zarr and Nereus look over, and gets its own when all
// of it is on the disk: a folder `epoch-N` is complete, whenever the power fails.
#pragma once

#include "epochs/files.hpp"

#include <cstdint>
#include <vector>

namespace nereus::epochs {

/// Complete epochs that are kept, the one that was made last included.
inline constexpr std::size_t epochs_kept = 2;

/// Of what an epoch says of itself: more is not read.
inline constexpr std::int64_t most_metadata_bytes = std::int64_t{64} << 20;

class SaveFolder {
public:
    SaveFolder(Files &files, Path path) : files_(files), path_(std::move(path)) {}

    /// Makes it where there is nothing. NEREUS_ERR_SETTING where something else is there.
    Done prepare();
    /// NEREUS_ERR_SETTING where it is not a folder of epochs.
    Done check() const;

    /// Numbers of complete epochs, ascending.
    Result<std::vector<std::uint64_t>> epochs() const;
    Path folder_of(std::uint64_t epoch) const;
    /// Where an epoch is until it is complete.
    Path unfinished(std::uint64_t epoch) const;

    /// Makes room for an epoch; what an attempt before left is removed.
    Done begin(std::uint64_t epoch);
    /// All files of it are on the disk: it is complete from now on, and the oldest ones go.
    Done complete(std::uint64_t epoch);
    void discard(std::uint64_t epoch) { (void)files_.remove_all(unfinished(epoch)); }
    /// One that may be complete: it is gone, and was never half there.
    void withdraw(std::uint64_t epoch) const;
    /// All others are withdrawn.
    void keep_only(std::uint64_t epoch) const;

    const Path &path() const { return path_; }
    Files &files() const { return files_; }

private:
    Done make_folder() const;
    Done make_root() const;
    void remove_old() const;

    Files &files_;
    Path path_;
};

/// `DIR`, or `DIR/epoch-N` for an epoch of one's choice.
struct ChosenEpoch {
    Path folder;
    std::uint64_t epoch;
};
/// NEREUS_ERR_SETTING where there is none.
Result<ChosenEpoch> choose_epoch(Files &files, const Path &path);

/// The number in `epoch-N`; 0: it is no such name.
std::uint64_t epoch_in(const std::string &name);

}
