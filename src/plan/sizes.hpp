// SPDX-License-Identifier: BSD-3-Clause
// Which processes there are before and after a resize, and which of them are the same.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace nereus::plan {

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
    /// The drain that each newcomer becomes; empty: they take in order what no source goes on as. Not without `kept`,
    /// unless all drains are made anew.
    std::vector<int> newcomers_as{};

    /// Sources that go on.
    int staying() const;
    int newcomers() const { return drains - staying(); }
    /// Of each source, whether it goes on.
    std::vector<bool> going_on() const;

    /// The process that is drain `drain`, seen as a source.
    std::optional<int> source_at(int drain) const;
    /// The drain that source `source` goes on as.
    std::optional<int> drain_of(int source) const;
    /// The drain that newcomer `newcomer` becomes.
    int drain_of_newcomer(int newcomer) const;
    /// Of each newcomer.
    std::vector<int> drains_of_newcomers() const;
};

/// What each drain brings from before, or as a newcomer.
template <class T>
std::vector<T> by_drain(const Sizes &sizes, const std::vector<T> &of_sources, const std::vector<T> &of_newcomers) {
    std::vector<T> all(static_cast<std::size_t>(sizes.drains));
    for (int drain = 0; drain < sizes.drains; ++drain)
        if (const auto source = sizes.source_at(drain))
            all[static_cast<std::size_t>(drain)] = of_sources[static_cast<std::size_t>(*source)];
    std::size_t newcomer = 0;
    for (const int drain : sizes.drains_of_newcomers()) all[static_cast<std::size_t>(drain)] = of_newcomers[newcomer++];
    return all;
}

}
