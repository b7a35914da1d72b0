// SPDX-License-Identifier: BSD-3-Clause
#include "base/methods.hpp"
#include "job/resize/costs.hpp"

#include <nereus/nereus.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <nereus/nereus.h>
#include <nlohmann/json.hpp>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <unistd.h>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr const char *numbers[] = {"fixed_seconds", "seconds_per_array", "seconds_per_byte", "pause_seconds", "omega"};

std::string all_but_auto(std::vector<std::string> words) {
    std::erase(words, "auto");
    return std::accumulate(words.begin() + 1, words.end(), words.front(),
                           [](const std::string &text, const std::string &word) { return text + ", " + word; });
}

json row(const char *method, const char *strategy) {
    return {{"method", method},         {"strategy", strategy},    {"fixed_seconds", 0.001}, {"seconds_per_array", 0.0},
            {"seconds_per_byte", 1e-9}, {"pause_seconds", 0.0125}, {"omega", 1.25}};
}

json document() {
    return {{"format", "nereus-costs"},
            {"version", 1},
            {"mpi", "mpich"},
            {"library", "MPICH Version: 5.0.2"},
            {"made", "2026-11-22T10:00:00+00:00"},
            {"costs", {row("p2p", "blocking"), row("rma-lockall", "wait-drains")}}};
}

/// What is wrong with a document; "" when nothing is.
std::string complaint(const json &in) {
    const auto costs = read_costs(in.dump());
    if (costs) return "";
    EXPECT_EQ(costs.error().code, NEREUS_ERR_SETTING);
    return costs.error().what;
}

TEST(Costs, AreReadAsTheyStandInTheFile) {
    const auto costs = read_costs(document().dump());
    ASSERT_TRUE(costs) << costs.error().what;
    EXPECT_EQ(costs->library, "MPICH Version: 5.0.2");
    ASSERT_EQ(costs->ways.size(), 2U);
    EXPECT_EQ(costs->ways[0], (plan::Cost{{NEREUS_P2P, NEREUS_BLOCKING}, 0.001, 0, 1e-9, 0.0125, 1.25}));
    EXPECT_EQ(costs->ways[1].way, (plan::Way{NEREUS_RMA_LOCKALL, NEREUS_WAIT_DRAINS}));
}

TEST(Costs, OfNoWayAreAllowed) {
    json in = document();
    in["costs"] = json::array();
    EXPECT_EQ(complaint(in), "");
}

TEST(Costs, NumbersThatNoMachineHasAreRefused) {
    for (const char *name : numbers)
        for (const json &bad :
             {json(-1e-9), json(1.0000001e6), json(1e300), json("1"), json(), json(true), json::array()}) {
            json in = document();
            in["costs"][1][name] = bad;
            EXPECT_TRUE(complaint(in).starts_with("costs[1]." + std::string(name) + ": must be a number in "))
                << name << " = " << bad << ": " << complaint(in);
            in["costs"][1].erase(name);
            EXPECT_NE(complaint(in), "") << name;
        }
}

TEST(Costs, NumbersThatAreNoneAreRefused) {
    const std::string good = document().dump();
    const std::size_t at = good.find("0.0125");
    ASSERT_NE(at, std::string::npos);
    for (const char *bad : {"NaN", "nan", "inf", "-inf", "Infinity", "1e999", "0x1", "1,0", ""})
        EXPECT_FALSE(read_costs(std::string(good).replace(at, 6, bad))) << bad;
}

TEST(Costs, IterationsThatBecomeFasterAreRefused) {
    json in = document();
    in["costs"][0]["omega"] = 0.999;
    EXPECT_EQ(complaint(in), "costs[0].omega: must be a number in 1.0 .. 1000000.0");
}

TEST(Costs, OfUnknownWaysAreRefused) {
    for (const char *bad : {"auto", "P2P", "", "shm"}) {
        json in = document();
        in["costs"][0]["method"] = bad;
        EXPECT_EQ(complaint(in), "costs[0].method: must be one of " + all_but_auto(words::transfer_methods));
        in = document();
        in["costs"][0]["strategy"] = bad;
        EXPECT_EQ(complaint(in), "costs[0].strategy: must be one of " + all_but_auto(words::transfer_strategies));
    }
}

TEST(Costs, OfOneWayTwiceAreRefused) {
    json in = document();
    in["costs"][1] = in["costs"][0];
    EXPECT_EQ(complaint(in), "costs[1]: the same way is there twice");
}

TEST(Costs, OtherDocumentsAreRefused) {
    for (const auto &[key, bad] : {std::pair<const char *, json>{"format", "nereus-run"},
                                   {"version", 2},
                                   {"version", "1"},
                                   {"library", 5},
                                   {"costs", json::object()},
                                   {"costs", json::parse("[[]]")}}) {
        json in = document();
        in[key] = bad;
        EXPECT_NE(complaint(in), "") << key << " = " << bad;
        in.erase(key);
        EXPECT_NE(complaint(in), "") << key;
    }
    for (const char *text : {"", "{", "[]", "null", "\xff\xfe", "{\"format\": \"nereus-costs\"", "[[[[[[[["})
        EXPECT_FALSE(read_costs(text)) << text;
}

/// A file with this text for the length of a test.
class File {
public:
    explicit File(const std::string &text) { std::ofstream(path) << text; }
    ~File() { std::remove(path.c_str()); }
    const std::string path = testing::TempDir() + "nereus-costs-" + std::to_string(getpid()) + ".json";
};

TEST(Costs, OfAFileAreThoseInIt) {
    const File file(document().dump());
    const auto costs = costs_of_file(file.path);
    ASSERT_TRUE(costs) << costs.error().what;
    EXPECT_EQ(costs->ways.size(), 2U);
}

TEST(Costs, AFileThatCannotBeReadIsNamedWithWhatIsAllowed) {
    const File file("{}");
    EXPECT_EQ(costs_of_file(file.path).error().what,
              "costs = " + file.path +
                  ": format: must be \"nereus-costs\"; allowed is a file that `nereus calibrate` made, or none");
    EXPECT_EQ(costs_of_file("/nowhere/costs.json").error().what,
              "costs = /nowhere/costs.json: cannot be opened; allowed is a file that `nereus calibrate` made, or none");
    EXPECT_FALSE(costs_of_file("/"));
}

TEST(Costs, AFileWithoutEndIsNotReadToItsEnd) {
    const auto costs = costs_of_file("/dev/zero");
    ASSERT_FALSE(costs);
    EXPECT_NE(costs.error().what.find("is longer than 1 MiB"), std::string::npos);
}

RC_GTEST_PROP(Costs, TravelUnchanged, ()) {
    plan::Costs costs{*rc::gen::container<std::string>(rc::gen::inRange(' ', '~')), {}};
    const auto number = [] { return static_cast<double>(*rc::gen::inRange(0, 1000)) / 999; };
    for (int method = 0; method < NEREUS_TRANSFER_AUTO; ++method)
        for (int strategy = 0; strategy < NEREUS_STRATEGY_AUTO; ++strategy)
            if (*rc::gen::arbitrary<bool>())
                costs.ways.push_back({{method, strategy}, number(), number(), number(), number(), 1 + number()});
    const auto read = read_costs(as_json(costs).dump());
    RC_ASSERT(read.has_value());
    RC_ASSERT(*read == costs);
}

/// Whatever one byte of a file becomes: it is refused, or all its numbers can be used.
RC_GTEST_PROP(Costs, ADamagedFileIsRefusedOrHarmless, ()) {
    std::string text = document().dump();
    for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
        text[*rc::gen::inRange<std::size_t>(0, text.size())] = static_cast<char>(*rc::gen::inRange(0, 256));
    const auto costs = read_costs(text);
    if (!costs) return;
    for (const plan::Cost &cost : costs->ways)
        for (const double number :
             {cost.fixed_seconds, cost.seconds_per_array, cost.seconds_per_byte, cost.pause_seconds, cost.omega - 1})
            RC_ASSERT(std::isfinite(number) && number >= 0 && number <= 1e6);
}

RC_GTEST_PROP(Costs, AnyBytesAreRefused, ()) { RC_ASSERT(!read_costs(*rc::gen::arbitrary<std::string>())); }

}
}
