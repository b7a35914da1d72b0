// SPDX-License-Identifier: BSD-3-Clause
// All processes of one resize at once, as no process sees them: for properties that hold over the whole job.
#pragma once

#include "plan/move.hpp"

#include <rapidcheck.h>

#include <vector>

namespace nereus::plan {

struct ResizeCase {
    Layout layout;
    std::int64_t elements;
    Sizes sizes;

    /// Merge: source i goes on as drain i. Baseline: sources, then drains.
    std::vector<Place> places() const {
        std::vector<Place> all;
        for (int source = 0; source < sizes.sources; ++source)
            all.push_back({source, !sizes.anew && source < sizes.drains ? std::optional(source) : std::nullopt});
        for (int drain = sizes.anew ? 0 : sizes.sources; drain < sizes.drains; ++drain)
            all.push_back({std::nullopt, drain});
        return all;
    }

    Range before(int source) const { return Cut{layout, elements, sizes.sources}.range_of(source); }
    Range after(int drain) const { return Cut{layout, elements, sizes.drains}.range_of(drain); }
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
