// SPDX-License-Identifier: BSD-3-Clause
// A matrix that is transposed when it gets another distribution: its parts are transposed where more processes have
// them, and what is moved is as it is on the other side.
//
// Parts that are transposed distribute the transposed matrix in blocks again, over the transposed grid: what the
// processes send one another is planned and sent as in any other redistribution.
#pragma once

#include "memory/block.hpp"
#include "redistribution/redistribution.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace nereus::redistribution {

/// Row `row` and column `column` of a matrix become row `column` and column `row`.
void transpose(const std::byte *matrix, std::int64_t rows, std::int64_t columns, std::int64_t extent,
               std::byte *transposed);

class Transposition {
public:
    /// NEREUS_ERR_MEMORY where there is no room for a part of this process, which has this rank.
    ///
    /// @param wanted  of two matrices; the rows of one are as many as the columns of the other
    static Result<Transposition> of(Redistribution wanted, int rank);

    /// What the processes send one another.
    const Redistribution &moved() const { return moved_; }

    Transposition(Transposition &&) = default;
    ~Transposition();

    /// What this process sends: its part, or that transposed. From here to finish() MPI may use memory of ours, which
    /// is left to it where something fails.
    const std::byte *prepared(const std::byte *old_part);
    /// Where this process is to receive: its new part, or other memory.
    std::byte *destination(std::byte *new_part) const { return at_source_ ? new_part : room_.get(); }
    /// When all has come.
    void finish(std::byte *new_part);

private:
    struct GiveBack {
        void operator()(std::byte *block) const { memory::give_back_block(block); }
    };
    using Room = std::unique_ptr<std::byte[], GiveBack>;

    Transposition(Redistribution moved, bool at_source, plan::MatrixSides part, Room room)
        : moved_(std::move(moved)), at_source_(at_source), part_(part), room_(std::move(room)) {}

    Redistribution moved_;
    bool at_source_;
    plan::MatrixSides part_; ///< of this process that is transposed, as it is before
    Room room_;
    bool is_lent_ = false; ///< to MPI
};

}
