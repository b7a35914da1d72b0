// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpich_reductions.hpp"

#include <bit>
#include <numeric>

namespace nereus::monitor {
namespace {

/// Which of two neighbours goes on where there are more ranks than the greatest power of two.
enum class Stays { even, odd };

/// The ranks of which a power of two goes on: of the first `2 * rest` every other one hands its data to its neighbour.
class Folded {
public:
    Folded(const CollectiveCall &call, Stays stays)
        : size_(static_cast<int>(std::bit_floor(static_cast<unsigned>(call.ranks)))), rest_(call.ranks - size_),
          rank_(call.rank), stays_(stays) {}

    int size() const { return size_; }
    int rest() const { return rest_; }
    bool is_paired(int rank) const { return rank < 2 * rest_; }
    bool goes_on(int rank) const { return !is_paired(rank) || (rank % 2 == 0) == (stays_ == Stays::even); }
    bool goes_on() const { return goes_on(rank_); }
    int neighbour() const { return rank_ ^ 1; }
    /// The number of a rank that goes on.
    int number(int rank) const { return is_paired(rank) ? rank / 2 : rank - rest_; }
    int number() const { return number(rank_); }
    int rank_of(int number) const {
        if (number >= rest_) return number + rest_;
        return stays_ == Stays::even ? 2 * number : 2 * number + 1;
    }

private:
    int size_, rest_, rank_;
    Stays stays_;
};

/// Parts of the data, for which one rank that goes on is responsible: first and behind the last.
struct Range {
    int begin, end;
};

std::uint64_t bytes_in(const std::vector<std::uint64_t> &parts, Range range) {
    return std::accumulate(parts.begin() + range.begin, parts.begin() + range.end, std::uint64_t{0});
}

/// What is left of all parts when those beyond each mask were halved away; sends what goes.
std::vector<Range> halve(const Folded &folded, const std::vector<int> &masks, const std::vector<std::uint64_t> &parts,
                         const TakeSent &take) {
    std::vector<Range> ranges{{0, folded.size()}};
    for (const int mask : masks) {
        const Range whole = ranges.back();
        const int other = folded.number() ^ mask, middle = (whole.begin + whole.end) / 2;
        const Range first{whole.begin, middle}, second{middle, whole.end};
        const bool keeps_first = folded.number() < other;
        take(folded.rank_of(other), bytes_in(parts, keeps_first ? second : first));
        ranges.push_back(keeps_first ? first : second);
    }
    return ranges;
}

std::vector<int> rising_masks(int size) {
    std::vector<int> masks;
    for (int mask = 1; mask < size; mask *= 2) masks.push_back(mask);
    return masks;
}

/// Whole elements; the first parts have one more where they cannot be equal.
std::vector<std::uint64_t> parts_of(const CollectiveCall &call, int number) {
    const auto parts = static_cast<std::uint64_t>(number);
    const std::uint64_t element = call.sizes.front() / call.elements;
    std::vector<std::uint64_t> bytes;
    for (std::uint64_t part = 0; part < parts; ++part)
        bytes.push_back((call.elements / parts + (part < call.elements % parts)) * element);
    return bytes;
}

bool is_split(const CollectiveCall &call, const Folded &folded, std::uint64_t short_size) {
    return call.sizes.front() > short_size && call.elements >= static_cast<std::uint64_t>(folded.size());
}

void to_parent(const CollectiveCall &call, const TakeSent &take) {
    const int own = (call.rank - call.root + call.ranks) % call.ranks;
    if (own != 0) take(((own & (own - 1)) + call.root) % call.ranks, call.sizes.front());
}

/// Parts go up a tree whose root is the root of the call, or stands in for it where that handed its data over.
void gather_parts(const CollectiveCall &call, const Folded &folded, const std::vector<Range> &ranges,
                  const std::vector<std::uint64_t> &parts, const TakeSent &take) {
    const bool root_handed_over = !folded.goes_on(call.root);
    const int root = root_handed_over ? 0 : folded.number(call.root), own = folded.number();
    if (root_handed_over && own == 0) return take(call.root, bytes_in(parts, ranges.back()));
    const std::vector<int> masks = rising_masks(folded.size());
    for (std::size_t level = masks.size(); level-- > 0;) {
        const int other = own ^ masks[level];
        if (other >> level != root >> level) continue;
        const int to = root_handed_over && other == 0 ? call.root : folded.rank_of(other);
        return take(to, bytes_in(parts, ranges[level + 1]));
    }
}

}

void reduce_as_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    const Folded folded(call, Stays::even);
    if (!is_split(call, folded, limits.reduce_short_msg_size)) return to_parent(call, take);
    if (!folded.goes_on()) return take(folded.neighbour(), call.sizes.front());
    const std::vector<std::uint64_t> parts = parts_of(call, folded.size());
    gather_parts(call, folded, halve(folded, rising_masks(folded.size()), parts, take), parts, take);
}

void allreduce_as_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    const Folded folded(call, Stays::odd);
    const std::uint64_t bytes = call.sizes.front();
    if (!folded.goes_on()) return take(folded.neighbour(), bytes);
    const std::vector<int> masks = rising_masks(folded.size());
    if (is_split(call, folded, limits.allreduce_short_msg_size)) {
        const std::vector<std::uint64_t> parts = parts_of(call, folded.size());
        const std::vector<Range> ranges = halve(folded, masks, parts, take);
        for (std::size_t level = masks.size(); level-- > 0;)
            take(folded.rank_of(folded.number() ^ masks[level]), bytes_in(parts, ranges[level + 1]));
    } else {
        for (const int mask : masks) take(folded.rank_of(folded.number() ^ mask), bytes);
    }
    if (folded.is_paired(call.rank)) take(folded.neighbour(), bytes);
}

void reduce_scatter_as_mpich(const CollectiveCall &call, const MpichLimits &limits, const TakeSent &take) {
    const std::uint64_t total = call.sum_of(0, call.ranks);
    if (total >= limits.red_scat_commutative_long_msg_size) {
        for (int distance = 1; distance < call.ranks; ++distance) {
            const int to = (call.rank + distance) % call.ranks;
            take(to, call.size_of(to));
        }
        return;
    }
    const Folded folded(call, Stays::odd);
    if (!folded.goes_on()) return take(folded.neighbour(), total);
    std::vector<std::uint64_t> parts;
    for (int number = 0; number < folded.size(); ++number) {
        const int rank = folded.rank_of(number);
        parts.push_back(call.size_of(rank) + (folded.is_paired(rank) ? call.size_of(rank ^ 1) : 0));
    }
    std::vector<int> masks = rising_masks(folded.size());
    halve(folded, {masks.rbegin(), masks.rend()}, parts, take);
    if (folded.is_paired(call.rank)) take(folded.neighbour(), call.size_of(folded.neighbour()));
}

}
