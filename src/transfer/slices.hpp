// SPDX-License-Identifier: BSD-3-Clause
// Pieces cut into slices: consecutive bytes of a piece in the order in which they travel, whatever their places are.
#pragma once

#include "mpi/type.hpp"
#include "plan/move.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace nereus::transfer {

using Strips = std::vector<plan::Strip>;

/// Elements of `extent` bytes as bytes.
Strips in_bytes(const Strips &strips, std::int64_t extent);

/// Hands out a piece from its first byte to its last.
class Slicer {
public:
    explicit Slicer(Strips bytes);

    bool done() const { return left_ == 0; }

    /// The next bytes: `most`, or what is left.
    Strips take(std::int64_t most);

private:
    void take_repetitions(std::int64_t &most, Strips &taken);
    void take_runs(std::int64_t &most, Strips &taken);
    void end_repetitions(std::int64_t repetitions);

    Strips strips_;
    std::int64_t left_;
    std::size_t strip_ = 0;
    std::int64_t repetition_ = 0; ///< of the strip
    std::size_t run_ = 0;         ///< of the repetition
    std::int64_t in_run_ = 0;
    std::int64_t strip_bytes_ = 0; ///< of one repetition
};

/// One of the two places of each run.
struct Side {
    std::int64_t plan::Run::*place;
    std::int64_t plan::Strip::*step;
};

inline constexpr Side source_side{&plan::Run::from, &plan::Strip::from_step};
inline constexpr Side drain_side{&plan::Run::to, &plan::Strip::to_step};

/// Where a slice lies, as an MPI call takes it: `count` of `type`, `place` bytes behind the part's first byte.
struct Spot {
    std::int64_t place = 0;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    mpi::Type owned{}; ///< none where bytes lie in a row
};

/// Of a slice of less than 2^31 bytes.
Spot spot_of(const Strips &slice, Side side);

/// The same as one type, at a distance from the part's first byte.
mpi::Type type_with_place(const Strips &slice, Side side);

/// Where in its part the slice begins, if its bytes lie in a row on `side`.
std::optional<std::int64_t> start_of_row(const Strips &slice, Side side);

/// Copies what lies in `part` on `side` behind one another, in the order in which it travels; and back.
void pack(const Strips &slice, Side side, const std::byte *part, std::byte *row);
void unpack(const Strips &slice, Side side, const std::byte *row, std::byte *part);

/// Copies a slice from a source's part into a drain's part.
void copy(const Strips &slice, const std::byte *from, std::byte *to);

}
