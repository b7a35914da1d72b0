// SPDX-License-Identifier: BSD-3-Clause
#include "plan/global_runs.hpp"
#include "shapes.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::plan {
namespace {

RC_GTEST_PROP(GlobalRuns, AreTheElementsOfThePartWithinTheRange, ()) {
    const int ranks = *rc::gen::inRange(1, 9), rank = *rc::gen::inRange(0, ranks);
    const Distribution distribution(any_shape(300), ranks);
    const auto first = *rc::gen::inRange<std::int64_t>(0, distribution.elements() + 1);
    const Range range{first, *rc::gen::inRange<std::int64_t>(first, distribution.elements() + 1)};
    const Part part = part_of(distribution, rank);
    std::vector<std::int64_t> wanted, found;
    for (const std::int64_t element : part)
        if (element >= range.first && element < range.end) wanted.push_back(element);
    std::ranges::sort(wanted);
    std::int64_t end = -1;
    for (const GlobalRun &run : global_runs(distribution, rank, range)) {
        RC_ASSERT(run.count > 0 && run.first >= end);
        end = run.first + run.count;
        for (std::int64_t i = 0; i < run.count; ++i) {
            found.push_back(run.first + i);
            RC_ASSERT(part[static_cast<std::size_t>(run.place + i)] == run.first + i);
        }
    }
    RC_ASSERT(found == wanted);
}

TEST(GlobalRuns, OfOneRankAreOneRun) {
    Shape cyclic{Layout::cyclic, 1000};
    cyclic.block = 3;
    EXPECT_EQ(global_runs(Distribution(cyclic, 1), 0, {10, 900}), (std::vector<GlobalRun>{{10, 10, 890}}));
}

TEST(GlobalRuns, OfHugeArraysTakeTheTimeOfTheRangeAlone) {
    Shape cyclic{Layout::cyclic, most_elements};
    cyclic.block = most_elements;
    EXPECT_EQ(global_runs(Distribution(cyclic, 3), 0, {most_elements - 5, most_elements}),
              (std::vector<GlobalRun>{{most_elements - 5, most_elements - 5, 5}}));
    EXPECT_TRUE(global_runs(Distribution(cyclic, 3), 1, {most_elements - 5, most_elements}).empty());
}

}
}
