// SPDX-License-Identifier: BSD-3-Clause
// All processes of one resize at once, as no process sees them: for properties that hold over the whole job.
#pragma once

#include "plan/move.hpp"
#include "shapes.hpp"

#include <rapidcheck.h>

#include <vector>

namespace nereus::plan {

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

struct ResizeCase {
    Distribution cut_before, cut_after;
    Sizes sizes;

    /// Sources, then newcomers.
    std::vector<Place> places() const {
        std::vector<Place> all;
        for (int source = 0; source < sizes.sources; ++source) all.push_back({source, sizes.drain_of(source)});
        for (int newcomer = 0; newcomer < sizes.newcomers(); ++newcomer)
            all.push_back({std::nullopt, sizes.drain_of_newcomer(newcomer)});
        return all;
    }

    Part before(int source) const { return part_of(cut_before, source); }
    Part after(int drain) const { return part_of(cut_after, drain); }
    Move move(const Place &place) const { return move_of(cut_before, cut_after, sizes, place); }
};

/// The usual numbering, or any sources as any drains.
inline Sizes any_sizes(int most_processes) {
    const auto processes = rc::gen::inRange(1, most_processes + 1);
    Sizes sizes{*processes, *processes, *rc::gen::arbitrary<bool>()};
    if (sizes.anew || *rc::gen::arbitrary<bool>()) return sizes;
    std::vector<int> sources;
    for (int i = 0; i < std::max(sizes.sources, sizes.drains); ++i) sources.push_back(i < sizes.sources ? i : -1);
    for (std::size_t i = sources.size(); i > 1; --i)
        std::swap(sources[i - 1], sources[*rc::gen::inRange<std::size_t>(0, i)]);
    sources.resize(static_cast<std::size_t>(sizes.drains));
    sizes.kept = sources;
    return sizes;
}

inline ResizeCase any_resize(int most_processes = 12, std::int64_t most = 80) {
    const Sizes sizes = any_sizes(most_processes);
    const Shape shape = any_shape(most);
    Distribution before(shape, sizes.sources), after(shape, sizes.drains);
    const bool ranges = before.contiguous() && shape.layout != Layout::replicated;
    if (ranges && *rc::gen::inRange(0, 4) == 0) { // borders that follow from data
        before = any_borders(shape.elements, sizes.sources);
        after = any_borders(shape.elements, sizes.drains);
    }
    const auto halo = ranges ? *rc::gen::element<std::int64_t>(0, 0, 1, 2, 7) : 0;
    return {before.with_halo(halo), after.with_halo(halo), sizes};
}

/// The array gets any other layout, or other blocks or weights of the same.
inline ResizeCase any_redistribution(int most_processes = 9, std::int64_t most = 80) {
    const Sizes sizes = any_sizes(most_processes);
    const Shape before = any_shape(most), after = any_shape_like(before, any_layout());
    return {{before, sizes.sources}, {after, sizes.drains}, sizes};
}

inline ResizeCase any_resize_or_redistribution() {
    const auto most = *rc::gen::element<std::int64_t>(20, 80, 700); // of many, blocks come again after a period
    return *rc::gen::arbitrary<bool>() ? any_resize(12, most) : any_redistribution(9, most);
}

inline void showValue(const ResizeCase &c, std::ostream &out) {
    showValue(c.cut_before.shape(), out);
    out << " -> ";
    showValue(c.cut_after.shape(), out);
    out << ", halo " << c.cut_before.halo() << ", " << c.sizes.sources << " -> " << c.sizes.drains
        << (c.sizes.anew           ? ", anew"
            : c.sizes.kept.empty() ? ", merge"
                                   : ", merge in another order");
}

}
