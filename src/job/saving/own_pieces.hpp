// SPDX-License-Identifier: BSD-3-Clause
// Data of the application's own in an epoch (nereus_on_save()): its functions, and their pieces as two arrays, in the
// order of the ranks.
#pragma once

#include "epochs/epoch_reader.hpp"
#include "epochs/epoch_writer.hpp"
#include "plan/layout.hpp"

#include <nereus/save.h>

#include <cstdint>
#include <string>
#include <vector>

namespace nereus::job {

/// Of one name, as an epoch has it.
struct SavedPieces {
    std::string name;
    std::vector<std::int64_t> counts; ///< pieces of each rank that saved them
    std::int64_t bytes = 0;           ///< of all

    std::int64_t count() const;
    /// Those of a rank, of so many: its own where there are as many as before.
    plan::Range of(int rank, int ranks) const;
    /// `NAME starts` and `NAME bytes`.
    std::vector<epochs::ArrayForm> forms() const;
};

/// Of this process, in the order in which they are called.
std::vector<std::string> names_of_own_pieces();

/// NEREUS_ERR_MISMATCH names both sides where this process has functions for other names than the epoch has data of.
Done check_functions(const std::vector<SavedPieces> &saved);

/// What all processes hand out for one epoch.
class OwnPieces {
public:
    /// Collective: `save` of each name is called. NEREUS_ERR_TRANSFER where one refuses, NEREUS_ERR_ARGUMENT where
    /// what it hands out cannot be, NEREUS_ERR_MISMATCH where processes have different names; the same on all.
    static Result<OwnPieces> hand_out(MPI_Comm comm);

    const std::vector<SavedPieces> &saved() const { return saved_; }
    std::int64_t bytes() const;
    /// This process' pieces. @param array  number of the first one of theirs
    Done write(epochs::EpochWriter &writer, std::size_t array) const;

private:
    OwnPieces() = default;
    Done write_one(epochs::EpochWriter &writer, std::size_t array, std::size_t number) const;

    int rank_ = 0, ranks_ = 1;
    std::vector<SavedPieces> saved_;
    std::vector<nereus_pieces> own_;
    std::vector<std::int64_t> bytes_before_; ///< of the ranks before this one, of each name
};

/// The pieces that this process gets out of an epoch.
class LoadedPieces {
public:
    /// Which starts rank `rank` reads, the end of its last piece included.
    static plan::Range starts_of(const SavedPieces &saved, int rank, int ranks);

    /// Those of rank `rank`, without their bytes. NEREUS_ERR_MISMATCH where they cannot be. @param array  as of
    /// OwnPieces::write()
    static Result<LoadedPieces> with_starts(epochs::EpochReader &reader, const SavedPieces &saved, std::size_t array,
                                            int rank, int ranks);
    /// That belong to them, of all.
    plan::Range bytes() const { return {starts_.front(), starts_.back()}; }
    Done read_bytes(epochs::EpochReader &reader, std::size_t array);

    /// Collective: `load` is called. NEREUS_ERR_TRANSFER where it refuses on this process.
    Done hand_over(MPI_Comm comm) const;

private:
    std::string name_;
    std::vector<std::int64_t> starts_; ///< from 0 once the bytes were read
    std::vector<std::byte> bytes_;
};

}
