// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a bound that a redistribution can beat, or one that no network has.
#include "bound.hpp"

#include "plan/distribution.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>

namespace smpi {
namespace {

using nereus::plan::Distribution;
using nereus::plan::Layout;
using nereus::plan::Sizes;

struct Case {
    std::int64_t bytes;
    Sizes sizes;
    std::vector<int> host_of_rank;
};

Case any_case() {
    const int sources = *rc::gen::inRange(1, 20), drains = *rc::gen::inRange(1, 20);
    const auto ranks = static_cast<std::size_t>(std::max(sources, drains));
    return {*rc::gen::inRange<std::int64_t>(1, 300), Sizes{sources, drains, false},
            *rc::gen::container<std::vector<int>>(ranks, rc::gen::inRange(0, 5))};
}

struct Count {
    std::map<int, std::int64_t> out, in, within;
    std::int64_t moved = 0;
};

std::int64_t most(const std::map<int, std::int64_t> &counts) {
    std::int64_t most = 0;
    for (const auto &[host, count] : counts) most = std::max(most, count);
    return most;
}

/// Byte by byte.
Count counted(const Case &one) {
    const Distribution before(Layout::block, one.bytes, one.sizes.sources),
        after(Layout::block, one.bytes, one.sizes.drains);
    Count count;
    for (std::int64_t byte = 0; byte < one.bytes; ++byte) {
        const int source = before.rank_of(byte), drain = after.rank_of(byte);
        if (source == drain) continue;
        const int from = one.host_of_rank.at(static_cast<std::size_t>(source));
        const int to = one.host_of_rank.at(static_cast<std::size_t>(drain));
        ++count.moved;
        if (from == to) {
            ++count.within[from];
        } else {
            ++count.out[from];
            ++count.in[to];
        }
    }
    return count;
}

RC_GTEST_PROP(Load, IsThatOfEachByteThatGoesToAnotherRank, ()) {
    const Case one = any_case();
    const Load load = load_of(one.bytes, one.sizes, one.host_of_rank);
    const Count count = counted(one);
    RC_ASSERT(load.moved == count.moved);
    RC_ASSERT(load.link == std::max(most(count.out), most(count.in)));
    RC_ASSERT(load.memory == most(count.within));
}

RC_GTEST_PROP(Load, NoLinkIsUsedWithinOneHost, ()) {
    Case one = any_case();
    std::ranges::fill(one.host_of_rank, 0);
    const Load load = load_of(one.bytes, one.sizes, one.host_of_rank);
    RC_ASSERT(load.link == 0);
    RC_ASSERT(load.memory == load.moved);
    RC_ASSERT(load.longest <= load.moved);
}

}
}
