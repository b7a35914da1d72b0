// SPDX-License-Identifier: BSD-3-Clause
// The known content of the data: a run that lost or mixed up elements must not be called intact.
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "content.hpp"

using namespace emulator;

namespace {

// A property as a test; what fails is shrunk and printed.
template <class Property> void holds(Property property) { EXPECT_TRUE(rc::check(property)); }

} // namespace

TEST(Content, IsCheckedAgainstTheIterationThatChangedItLast) {
    holds([] {
        const auto stride = *rc::gen::inRange<std::int64_t>(1, 50);
        const auto element = *rc::gen::inRange<std::int64_t>(0, 1000);
        const auto iterations = *rc::gen::inRange<std::int64_t>(0, 300);
        std::int64_t last = -1;
        for (std::int64_t i = 0; i < iterations; ++i)
            if (is_changed(element, i, stride)) last = i;
        RC_ASSERT(last_change(element, iterations, stride) == last);
    });
}

TEST(Content, IsChangedOnEveryRankThatHoldsIt) {
    holds([] {
        const auto stride = *rc::gen::inRange<std::int64_t>(1, 50);
        const auto first = *rc::gen::inRange<std::int64_t>(0, 1000);
        const auto iteration = *rc::gen::inRange<std::int64_t>(0, 1000);
        std::int64_t expected = first;
        while (!is_changed(expected, iteration, stride)) ++expected;
        RC_ASSERT(first_changed(first, iteration, stride) == expected);
    });
}

TEST(Content, ChangesNoMoreInAnIterationThanIsCheap) {
    holds([] {
        const auto elements = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 60);
        const std::int64_t stride = change_stride(elements);
        RC_ASSERT((elements + stride - 1) / stride <= changes_per_iteration);
        RC_ASSERT(stride == 1 || elements > changes_per_iteration);
    });
}

TEST(Content, OfEachElementAndChangeIsItsOwn) {
    std::set<std::uint64_t> seen;
    for (std::int64_t element = 0; element < 1000; ++element) {
        seen.insert(constant_content(42, element));
        for (std::int64_t change = -1; change < 9; ++change) seen.insert(variable_content(42, element, change));
    }
    EXPECT_EQ(seen.size(), 11000U);
    EXPECT_NE(constant_content(1, 5), constant_content(2, 5));
}
