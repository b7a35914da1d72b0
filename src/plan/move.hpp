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

/// Elements in a row, by their places in a source's part and in a drain's part.
struct Run {
    std::int64_t from;
    std::int64_t to;
    std::int64_t count;
    bool operator==(const Run &) const = default;
};

/// Runs that come again at regular distances: repetition i of a run lies at from + i * from_step and to + i * to_step.
struct Strip {
    std::vector<Run> runs; ///< ascending in both, without overlap, also with their repetitions
    std::int64_t repeats = 1;
    std::int64_t from_step = 0;
    std::int64_t to_step = 0;
    bool operator==(const Strip &) const = default;

    std::int64_t count() const;
};

/// Elements that go between this process and source or drain number `peer`, in the order in which they travel.
struct Piece {
    int peer;
    std::vector<Strip> strips;
    bool operator==(const Piece &) const = default;

    std::int64_t count() const;
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
    bool anew; ///< Baseline: all drains are other processes
    /// Merge: which source goes on as each drain, -1 for a newcomer; empty: drain i is source i where both exist.
    std::vector<int> kept{};

    /// Sources that go on.
    int staying() const { return anew ? 0 : std::min(sources, drains); }
    int newcomers() const { return drains - staying(); }

    /// The process that is drain `drain`, seen as a source.
    std::optional<int> source_at(int drain) const;
    /// The drain that source `source` goes on as.
    std::optional<int> drain_of(int source) const;
    /// The drain that newcomer `newcomer` becomes: they take in order what no source goes on as.
    int drain_of_newcomer(int newcomer) const;
};

/// What one process does for one array.
struct Move {
    std::vector<Piece> sends;    ///< peers are drains
    std::vector<Piece> receives; ///< peers are sources
    std::vector<Strip> stays;    ///< elements that this process has and keeps
    bool unchanged = false;      ///< the process' whole part stays as it is
};

Move move_of(Layout layout, std::int64_t elements, const Sizes &sizes, const Place &place);

/// Elements that at least have to go from one process to another, whichever way the drains are numbered over the
/// processes: all that a source does not find in the one part it keeps.
std::int64_t least_moved(Layout layout, std::int64_t elements, const Sizes &sizes);

}
