// SPDX-License-Identifier: BSD-3-Clause
// Who sends which elements of one array to whom when a job is resized.
//
// Each rank computes its own part alone, in the time of its own overlaps: nothing has the length of the job.
#pragma once

#include "plan/cut.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace nereus::plan {

/// Elements that go between this process and source or drain number `peer`.
struct Piece {
    int peer;
    Range elements;
    bool operator==(const Piece &) const = default;
};

/// A process' numbers before and after a resize.
struct Place {
    std::optional<int> source;
    std::optional<int> drain;
};

/// One resize: how many processes before and after, and whether sources can be drains.
struct Sizes {
    int sources;
    int drains;
    bool anew; ///< Baseline: all drains are other processes; else drain i is source i where both exist

    /// Sources that go on: the first ones.
    int staying() const { return anew ? 0 : std::min(sources, drains); }
    int newcomers() const { return drains - staying(); }

    /// The process that is drain `drain`, seen as a source.
    std::optional<int> source_at(int drain) const {
        if (anew || drain >= sources) return std::nullopt;
        return drain;
    }
};

/// What one process does for one array.
struct Move {
    std::vector<Piece> sends;    ///< peers are drains
    std::vector<Piece> receives; ///< peers are sources
    Range stays;                 ///< elements that this process has and keeps
    bool unchanged = false;      ///< the process' whole part stays as it is
};

Move move_of(Layout layout, std::int64_t elements, const Sizes &sizes, const Place &place);

/// Elements that at least have to go from one process to another, whichever way the drains are numbered over the
/// processes: all that a source does not find in the one part it keeps.
std::int64_t least_moved(Layout layout, std::int64_t elements, const Sizes &sizes);

}
