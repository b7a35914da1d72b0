// SPDX-License-Identifier: BSD-3-Clause
#include "plan/regular_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace nereus::plan {
namespace {

/// The number of the first block that ends behind `element`.
std::int64_t block_behind(const RegularBlocks &blocks, std::int64_t element) {
    if (element < blocks.first + blocks.block) return 0;
    if (blocks.step == 0) return 1;
    const std::int64_t number = (element - blocks.first) / blocks.step;
    return element < blocks.first + number * blocks.step + blocks.block ? number : number + 1;
}

/// Block `number` within `window`; empty where it begins behind it.
Range block_in(const RegularBlocks &blocks, std::int64_t number, Range window) {
    const std::int64_t end = std::min(blocks.end, window.end);
    if (number > 0 && (blocks.step == 0 || number > (end - blocks.first) / blocks.step)) return {};
    const std::int64_t begin = blocks.first + number * blocks.step;
    if (begin >= end) return {};
    return {std::max(begin, window.first), begin + std::min(blocks.block, end - begin)};
}

/// Calls act(block) for each block within `window`, in turn.
template <class Act> void each_block(const RegularBlocks &blocks, Range window, const Act &act) {
    for (std::int64_t number = block_behind(blocks, window.first);; ++number) {
        const Range block = block_in(blocks, number, window);
        if (block.empty()) return;
        act(block);
    }
}

/// How many blocks begin within so many elements, about.
double blocks_in(const RegularBlocks &blocks, std::int64_t elements) {
    return blocks.step == 0 ? 1 : static_cast<double>(elements) / static_cast<double>(blocks.step) + 1;
}

bool comes_less_often(const RegularBlocks &one, const RegularBlocks &other) {
    return one.step == 0 || (other.step != 0 && one.step >= other.step);
}

/// What two ranks share.
class Pair {
public:
    Pair(const RegularBlocks &from, const RegularBlocks &to)
        : from_(from), to_(to), coarse_(from.block >= to.block ? from : to), fine_(from.block >= to.block ? to : from),
          rare_(comes_less_often(from, to) ? from : to), dense_(comes_less_often(from, to) ? to : from) {}

    std::vector<Strip> strips() const {
        const auto first = first_shared();
        if (!first) return {};
        Range rest{*first, end()};
        std::vector<Strip> strips;
        const std::int64_t period = this->period(), repeats = period == 0 ? 0 : rest.count() / period;
        if (repeats > 1 && runs_in_about(period) <= words_for(rest.count())) {
            add_periods(strips, rest.first, period, repeats);
            rest.first += repeats * period;
        }
        add_rest(strips, rest);
        return strips;
    }

private:
    std::int64_t end() const { return std::min(from_.end, to_.end); }

    /// After which the same blocks meet again; 0: never within the array.
    std::int64_t period() const {
        if (from_.step == 0 || to_.step == 0) return 0;
        const std::int64_t factor = to_.step / std::gcd(from_.step, to_.step);
        return from_.step > end() / factor ? 0 : from_.step * factor;
    }

    /// A block of one of them begins there, and so it does after each period.
    std::optional<std::int64_t> first_shared() const {
        const std::int64_t begin = std::max(from_.first, to_.first), period = this->period();
        // What does not meet within a period never does.
        const Range where{begin, period == 0 || period > end() - begin ? end() : begin + period};
        for (std::int64_t number = block_behind(rare_, begin);; ++number) {
            const Range block = block_in(rare_, number, where);
            if (block.empty()) return std::nullopt;
            const Range both = block_in(dense_, block_behind(dense_, block.first), block);
            if (!both.empty()) return both.first;
        }
    }

    double runs_in_about(std::int64_t elements) const {
        return std::min(blocks_in(rare_, elements) * (blocks_in(dense_, rare_.block) + 1), blocks_in(dense_, elements));
    }

    /// That tell what is shared within so many elements without periods.
    double words_for(std::int64_t elements) const {
        return std::min(runs_in_about(elements), 3 * blocks_in(coarse_, elements));
    }

    Run run_of(Range both) const { return {from_.place_of(both.first), to_.place_of(both.first), both.count()}; }

    std::vector<Run> runs_in(Range window) const {
        std::vector<Run> runs;
        each_block(rare_, window,
                   [&](Range block) { each_block(dense_, block, [&](Range both) { runs.push_back(run_of(both)); }); });
        return runs;
    }

    std::int64_t from_step(std::int64_t period) const { return period / from_.step * from_.block; }
    std::int64_t to_step(std::int64_t period) const { return period / to_.step * to_.block; }

    void add_periods(std::vector<Strip> &strips, std::int64_t first, std::int64_t period, std::int64_t repeats) const {
        strips.push_back({runs_in({first, first + period}), repeats, from_step(period), to_step(period)});
    }

    void add_rest(std::vector<Strip> &strips, Range rest) const {
        if (runs_in_about(rest.count()) <= words_for(rest.count()))
            add_runs(strips, rest);
        else
            each_block(coarse_, rest, [&](Range block) { add_block(strips, block); });
    }

    void add_runs(std::vector<Strip> &strips, Range window) const {
        std::vector<Run> runs = runs_in(window);
        if (runs.empty()) return;
        if (!strips.empty() && is_one_repetition_more(strips.back(), runs))
            ++strips.back().repeats;
        else
            strips.push_back({std::move(runs)});
    }

    static bool is_one_repetition_more(const Strip &strip, const std::vector<Run> &runs) {
        return std::ranges::equal(strip.runs, runs, [&](const Run &one, const Run &other) {
            return other ==
                   Run{one.from + strip.repeats * strip.from_step, one.to + strip.repeats * strip.to_step, one.count};
        });
    }

    /// What the fine blocks have of a coarse one: the first and the last may be cut, those between are alike.
    void add_block(std::vector<Strip> &strips, Range block) const {
        const std::int64_t first = block_behind(fine_, block.first);
        Range both = block_in(fine_, first, block);
        if (both.empty()) return;
        if (both.count() < fine_.block) {
            strips.push_back({{run_of(both)}});
            both = block_in(fine_, first + 1, block);
        }
        if (both.count() == fine_.block && fine_.step > 0) {
            const std::int64_t whole = (block.end - both.first - fine_.block) / fine_.step + 1;
            add_whole(strips, both, whole);
            const std::int64_t next = block_behind(fine_, both.first) + whole;
            both = block_in(fine_, next, block);
        }
        if (!both.empty()) strips.push_back({{run_of(both)}});
    }

    void add_whole(std::vector<Strip> &strips, Range first, std::int64_t repeats) const {
        const bool from_is_fine = &fine_ == &from_;
        const std::int64_t in_fine = fine_.block, in_coarse = fine_.step;
        strips.push_back(
            repeated(run_of(first), repeats, from_is_fine ? in_fine : in_coarse, from_is_fine ? in_coarse : in_fine));
    }

    const RegularBlocks &from_, &to_;
    const RegularBlocks &coarse_, &fine_; ///< by their blocks
    const RegularBlocks &rare_, &dense_;  ///< by how often these come
};

}

std::int64_t RegularBlocks::place_of(std::int64_t element) const {
    if (step == 0) return element - first;
    const std::int64_t number = (element - first) / step;
    return number * block + (element - first - number * step);
}

std::vector<Range> RegularBlocks::ranges() const {
    std::vector<Range> all;
    each_block(*this, {first, end}, [&](Range one) { all.push_back(one); });
    return all;
}

std::vector<Strip> shared_elements(const RegularBlocks &from, const RegularBlocks &to) {
    return Pair(from, to).strips();
}

}
