// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/machine.hpp"

#include <gtest/gtest.h>
#include <numeric>

namespace nereus::place {
namespace {

using Names = std::vector<std::string>;
using Children = std::vector<std::vector<int>>;

/// Nothing where the program is built without hwloc.
bool has_hwloc() {
    const auto here = inside_of({.xml = "", .synthetic = "", .here = true});
    return here || here.error().code != NEREUS_ERR_UNSUPPORTED;
}

TEST(Machine, SlotsAreCoresOrThreads) {
    if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
    const auto cores = inside_of({.xml = "", .synthetic = "package:2 core:3 pu:2"});
    ASSERT_TRUE(cores);
    EXPECT_EQ(cores->levels, (Names{"package", "core"}));
    EXPECT_EQ(cores->children, (Children{{2}, {3, 3}}));
    const auto threads = inside_of({.xml = "", .synthetic = "package:2 core:3 pu:2", .here = false, .by_thread = true});
    ASSERT_TRUE(threads);
    EXPECT_EQ(threads->levels, (Names{"package", "core", "pu"}));
    EXPECT_EQ(cores->processors, (std::vector{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(threads->processors.size(), 12u);
}

TEST(Machine, LevelsThatBranchNowhereAreLeftOut) {
    if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
    const auto inside = inside_of({.xml = "", .synthetic = "package:1 l3:1 core:6 pu:1"});
    ASSERT_TRUE(inside);
    EXPECT_EQ(inside->levels, (Names{"core"}));
    EXPECT_EQ(inside->children, (Children{{6}}));
    EXPECT_EQ(inside_of({.xml = "", .synthetic = "core:1 pu:1"})->children, (Children{{1}}));
}

TEST(Machine, ThisHostHasAsManyNodesAsItsLevelsTell) {
    if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
    const auto inside = inside_of({.xml = "", .synthetic = "", .here = true});
    ASSERT_TRUE(inside);
    std::size_t nodes = 1;
    for (const auto &children : inside->children) {
        EXPECT_EQ(children.size(), nodes);
        nodes = static_cast<std::size_t>(std::accumulate(children.begin(), children.end(), 0));
    }
    EXPECT_GE(nodes, 1u);
}

TEST(Machine, WhatHwlocDoesNotTakeIsRefused) {
    if (!has_hwloc()) GTEST_SKIP() << "built without hwloc";
    EXPECT_EQ(inside_of({.xml = "", .synthetic = "cabbage:2"}).error().what,
              "cabbage:2: is no synthetic topology of hwloc");
    EXPECT_FALSE(inside_of({.xml = "/nowhere/at/all.xml", .synthetic = ""}));
}

}
}
