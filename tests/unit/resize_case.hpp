// SPDX-License-Identifier: BSD-3-Clause
// All processes of one resize at once, as no process sees them: for properties that hold over the whole job.
#pragma once

#include "plan/move.hpp"

#include <rapidcheck.h>

#include <vector>

namespace nereus::plan {

/// Global elements of one rank in the order in which they lie there.
using Part = std::vector<std::int64_t>;

inline Part part_of(const Cut &cut, int rank) {
    const Range range = cut.range_of(rank);
    Part part;
    for (auto element = range.first; element < range.end; ++element) part.push_back(element);
    return part;
}

/// One element's places in a source's and in a drain's part.
struct Step {
    std::int64_t from, to;
    bool operator==(const Step &) const = default;
};

/// Every element of some strips, in the order in which they travel.
inline std::vector<Step> steps_of(const std::vector<Strip> &strips) {
    std::vector<Step> steps;
    for (const Strip &strip : strips)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const Run &run : strip.runs)
                for (std::int64_t j = 0; j < run.count; ++j)
                    steps.push_back({run.from + i * strip.from_step + j, run.to + i * strip.to_step + j});
    return steps;
}

inline std::int64_t count_of(const Part &part) { return static_cast<std::int64_t>(part.size()); }

struct ResizeCase {
    Layout layout;
    std::int64_t elements;
    Sizes sizes;

    /// Sources, then newcomers.
    std::vector<Place> places() const {
        std::vector<Place> all;
        for (int source = 0; source < sizes.sources; ++source) all.push_back({source, sizes.drain_of(source)});
        for (int newcomer = 0; newcomer < sizes.newcomers(); ++newcomer)
            all.push_back({std::nullopt, sizes.drain_of_newcomer(newcomer)});
        return all;
    }

    Part before(int source) const { return part_of({layout, elements, sizes.sources}, source); }
    Part after(int drain) const { return part_of({layout, elements, sizes.drains}, drain); }
    Move move(const Place &place) const { return move_of(layout, elements, sizes, place); }
};

inline ResizeCase any_resize(int most_processes = 12, std::int64_t most_elements = 80) {
    const auto layout = *rc::gen::element(Layout::block, Layout::replicated);
    const auto elements = *rc::gen::inRange<std::int64_t>(0, most_elements + 1);
    const auto processes = rc::gen::inRange(1, most_processes + 1);
    return {layout, elements, {*processes, *processes, *rc::gen::arbitrary<bool>()}};
}

inline void showValue(const ResizeCase &c, std::ostream &out) {
    out << (c.layout == Layout::block ? "block" : "replicated") << ", " << c.elements << " elements, "
        << c.sizes.sources << " -> " << c.sizes.drains << (c.sizes.anew ? ", anew" : ", merge");
}

}
