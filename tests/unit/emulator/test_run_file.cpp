// SPDX-License-Identifier: BSD-3-Clause
// The run file: what is allowed comes in as it was written, and what is not is named.
#include <filesystem>

#include <gtest/gtest.h>

#include "base/methods.hpp"
#include "run.hpp"

using namespace emulator;
using Json = nlohmann::ordered_json;

namespace {

Json stage(const char *type) {
    return {{"type", type},    {"seconds", 0.05}, {"bytes", 0}, {"granularity", 600},
            {"capped", false}, {"id", nullptr},   {"ranks", 0}};
}

Json group(int ranks) {
    return {{"iterations", 15},
            {"ranks", ranks},
            {"factor", 1.5},
            {"placement", "spread"},
            {"release_unit", "host"},
            {"process_method", "baseline-inter"},
            {"process_strategies", {"single", "asynchronous"}},
            {"transfer_method", "col"},
            {"transfer_strategy", "nonblocking"},
            {"survivors", "least-movement"}};
}

Json good_run() {
    Json run{{"format", "nereus-run"}, {"version", 1},        {"name", "cg"},  {"seed", 42},
             {"barrier", true},        {"capture", "median"}, {"verify", true}};
    run["data"] = {
        {"constant_bytes", 3813655465}, {"variable_bytes", 134228039}, {"element_bytes", 8}, {"memory", "shared"}};
    run["weights"] = {1.0, 2.5};
    run["factor_scales"] = "computation";
    run["reduction"] = "sum";
    run["scratch"] = std::filesystem::temp_directory_path().string();
    run["phases"] = Json::array({{{"iterations", 60}, {"stages", Json::array({stage("matrix"), stage("allreduce")})}}});
    run["groups"] = Json::array({group(2), group(4)});
    run["groups"][1]["weights"] = {3.0, 1.0, 2.0};
    run["groups"][1]["times"] = {0.25, 0.0};
    return run;
}

std::string complaint_about(const Json &run) {
    const Result<Run> parsed = parse_run("run.json", run.dump(1));
    if (parsed) return "nothing";
    EXPECT_EQ(parsed.error().exit_code, exit_bad_input);
    return parsed.error().sentence;
}

// The good run with one value replaced.
std::string complaint_with(const std::string &pointer, const Json &value) {
    Json run = good_run();
    run[Json::json_pointer(pointer)] = value;
    return complaint_about(run);
}

} // namespace

TEST(RunFile, KeepsEveryValueThatSteersTheRun) {
    const auto run = parse_run("run.json", good_run().dump());
    ASSERT_TRUE(run) << run.error().sentence;
    EXPECT_EQ(run->seed, 42U);
    EXPECT_TRUE(run->barrier);
    EXPECT_TRUE(run->verify);
    EXPECT_EQ(run->capture, Capture::median);
    EXPECT_EQ(run->constant_bytes, 3813655465);
    EXPECT_EQ(run->variable_bytes, 134228039);
    EXPECT_EQ(run->groups[0].weights, (std::vector<double>{1.0, 2.5}));
    EXPECT_EQ(run->groups[1].weights, (std::vector<double>{3.0, 1.0, 2.0}));
    EXPECT_TRUE(run->groups[0].times.empty());
    EXPECT_EQ(run->groups[1].times, (std::vector<double>{0.25, 0.0}));
    EXPECT_EQ(run->iterations(), 60);
    EXPECT_EQ(run->phases[0].stages[0].type, stage_type("matrix"));
    EXPECT_EQ(run->phases[0].stages[1].granularity, 600);
    EXPECT_EQ(run->groups[1].ranks, 4);
    EXPECT_EQ(run->groups[1].factor, 1.5);
    EXPECT_TRUE(run->phases[0].stages[0].scaled);
    EXPECT_FALSE(run->phases[0].stages[1].scaled);
    EXPECT_EQ(run->phases[0].stages[1].reduction, Reduce::sum);
    EXPECT_EQ(run->groups[1].process_method, NEREUS_BASELINE_INTER);
    EXPECT_EQ(run->groups[1].process_strategies, unsigned{NEREUS_SINGLE} | NEREUS_ASYNCHRONOUS);
    EXPECT_EQ(run->groups[1].placement, NEREUS_SPREAD);
    EXPECT_EQ(run->groups[1].release_unit, NEREUS_UNIT_HOST);
    EXPECT_EQ(run->groups[1].transfer_method, NEREUS_COL);
    EXPECT_EQ(run->groups[1].transfer_strategy, NEREUS_NONBLOCKING);
    EXPECT_EQ(run->groups[1].survivors, NEREUS_LEAST_MOVEMENT);
    EXPECT_EQ(run->memory, "shared");
}

TEST(RunFile, OfBeforeAKeyExistedMeansWhatItMeantThen) {
    Json run = good_run();
    run["groups"][0].erase("release_unit");
    run["groups"][0].erase("survivors");
    run["data"].erase("memory");
    run.erase("factor_scales");
    run.erase("reduction");
    const auto parsed = parse_run("run.json", run.dump());
    ASSERT_TRUE(parsed) << parsed.error().sentence;
    EXPECT_EQ(parsed->groups[0].release_unit, NEREUS_UNIT_JOB);
    EXPECT_EQ(parsed->groups[0].survivors, NEREUS_FIRST);
    EXPECT_EQ(parsed->memory, "private");
    EXPECT_TRUE(parsed->phases[0].stages[1].scaled);
    EXPECT_EQ(parsed->phases[0].stages[1].reduction, Reduce::max);
}

TEST(RunFile, HasABehaviourForEachSizeWhereResizesAreCommanded) {
    Json run = good_run();
    EXPECT_FALSE(parse_run("run.json", run.dump())->is_commanded());
    run["resizes"] = "commanded";
    const auto parsed = parse_run("run.json", run.dump());
    ASSERT_TRUE(parsed) << parsed.error().sentence;
    EXPECT_TRUE(parsed->is_commanded());
    EXPECT_EQ(parsed->group_for(2), std::optional<std::size_t>(0));
    EXPECT_EQ(parsed->group_for(4), std::optional<std::size_t>(1));
    EXPECT_EQ(parsed->group_for(3), std::nullopt);
    EXPECT_EQ(complaint_with("/resizes", "sometimes"),
              "run.json: resizes: found \"sometimes\", allowed scheduled, commanded");
}

TEST(RunFile, RefusesTwoBehavioursOfOneSizeWhereResizesAreCommanded) {
    Json run = good_run();
    run["groups"][1]["ranks"] = 2;
    EXPECT_EQ(complaint_about(run), "nothing");
    run["resizes"] = "commanded";
    EXPECT_EQ(complaint_about(run), "run.json: groups[1].ranks: found 2 twice, allowed each number of ranks once, "
                                    "where resizes are commanded");
}

TEST(RunFile, TakesEachWayToMoveDataByItsWords) {
    Json run = good_run();
    Json &group = run["groups"][1];
    group["process_method"] = "merge";
    for (const auto &[method_word, method] : transfer_methods())
        for (const auto &[strategy_word, strategy] : transfer_strategies()) {
            if (!nereus::check_transfer(NEREUS_MERGE, method, strategy)) continue;
            group["transfer_method"] = method_word;
            group["transfer_strategy"] = strategy_word;
            const auto parsed = parse_run("run.json", run.dump());
            ASSERT_TRUE(parsed) << parsed.error().sentence;
            EXPECT_EQ(parsed->groups[1].transfer_method, method);
            EXPECT_EQ(parsed->groups[1].transfer_strategy, strategy);
            EXPECT_EQ(name_of(method), method_word);
            EXPECT_EQ(name_of(strategy), strategy_word);
        }
}

TEST(RunFile, RefusesOneSidedMethodsWhereMpiHasNoneBeforeAnythingRuns) {
    for (const char *method : {"rma-lock", "rma-lockall"}) {
        Json run = good_run();
        Json &group = run["groups"][1];
        group["transfer_method"] = method;
        group["process_method"] = "baseline-intra";
        const std::string found = std::string("run.json: groups[1].transfer_method: found \"") + method +
                                  "\", allowed what goes together: " + method + " does not go with ";
        EXPECT_EQ(complaint_about(run), found +
                                            "nonblocking: drains read from the sources, which cannot know when they "
                                            "have been read; take blocking, wait-drains or thread");
        group["transfer_strategy"] = "wait-drains";
        EXPECT_EQ(complaint_about(run), "nothing");
        group["process_method"] = "baseline-inter";
        EXPECT_EQ(complaint_about(run), found + "baseline-inter: there is no window over an inter-communicator; take "
                                                "merge or baseline-intra");
    }
}

TEST(RunFile, TakesEachStrategyByItsWord) {
    const std::vector<std::pair<Json, unsigned>> lists{
        {Json::array(), 0},
        {Json::array({"auto"}), NEREUS_AUTO},
        {Json::array({"join"}), NEREUS_JOIN},
        {Json::array({"asynchronous", "join"}), NEREUS_ASYNCHRONOUS | NEREUS_JOIN},
        {Json::array({"single", "multiple"}), NEREUS_SINGLE | NEREUS_MULTIPLE},
        {Json::array({"parallel"}), NEREUS_PARALLEL}};
    for (const auto &[words, strategies] : lists) {
        Json run = good_run();
        run["groups"][1]["process_strategies"] = words;
        const auto parsed = parse_run("run.json", run.dump());
        ASSERT_TRUE(parsed) << parsed.error().sentence;
        EXPECT_EQ(parsed->groups[1].process_strategies, strategies);
    }
}

TEST(RunFile, RefusesStrategiesThatExcludeOneAnotherBeforeAnythingRuns) {
    const Json lists = Json::parse(R"([["single", "parallel"], ["join", "single"], ["join", "multiple"],
                                       ["parallel", "join"], ["auto", "join"], ["join", "join"], ["none"], [7], [null],
                                       ["Single"], "single"])");
    for (const Json &words : lists)
        EXPECT_NE(complaint_with("/groups/1/process_strategies", words).find("groups[1].process_strategies: found"),
                  std::string::npos)
            << words;
}

TEST(RunFile, NamesTheKeyTheValueAndWhatIsAllowed) {
    EXPECT_EQ(complaint_with("/groups/1/ranks", 0),
              "run.json: groups[1].ranks: found 0, allowed an integer 1 .. 2147483647");
    EXPECT_EQ(complaint_with("/capture", "worst"), "run.json: capture: found \"worst\", allowed max, mean, median");
    EXPECT_EQ(complaint_with("/phases/0/stages/1/seconds", -0.5),
              "run.json: phases[0].stages[1].seconds: found -0.5, allowed a number, 0 or more");
    EXPECT_EQ(complaint_with("/data/element_bytes", 3), "run.json: data.element_bytes: found 3, allowed 1, 2, 4, 8");
}

TEST(RunFile, RefusesEachValueThatCannotBeRun) {
    const std::vector<std::pair<std::string, Json>> bad{{"/format", "other"},
                                                        {"/version", 2},
                                                        {"/seed", -1},
                                                        {"/seed", 18446744073709551615U},
                                                        {"/barrier", "yes"},
                                                        {"/weights", Json::array()},
                                                        {"/weights", {1, 0}},
                                                        {"/groups/1/weights", Json::array()},
                                                        {"/groups/1/weights", {1, "a"}},
                                                        {"/groups/1/times", {1, -1}},
                                                        {"/groups/1/times", {1}},
                                                        {"/phases/0/stages/0/padded", true},
                                                        {"/phases/0/stages/1/padded", 1},
                                                        {"/phases", Json::array()},
                                                        {"/groups", Json::array()},
                                                        {"/phases/0/iterations", 0},
                                                        {"/phases/0/stages/0/type", "stencil"},
                                                        {"/phases/0/stages/0/granularity", 0},
                                                        {"/phases/0/stages/0/bytes", 1.5},
                                                        {"/phases/0/stages/1/bytes", std::int64_t{1} << 31},
                                                        {"/groups/0/factor", 0},
                                                        {"/groups/0/process_method", "join"},
                                                        {"/groups/0/process_strategies", {"spawn"}},
                                                        {"/groups/0/release_unit", "node"},
                                                        {"/groups/0/transfer_method", "rma"},
                                                        {"/groups/0/transfer_strategy", "threads"},
                                                        {"/groups/0/survivors", "last"},
                                                        {"/groups/0/survivors", nullptr},
                                                        {"/data/memory", "public"},
                                                        {"/groups/0/placement", 7},
                                                        {"/data", 5}};
    for (const auto &[pointer, value] : bad) {
        const std::string key = pointer.substr(1, pointer.find('/', 1) - 1);
        EXPECT_NE(complaint_with(pointer, value).find("run.json: " + key), std::string::npos)
            << pointer << " = " << value;
    }
}

TEST(RunFile, RefusesAKeyThatItDoesNotKnow) {
    EXPECT_NE(complaint_with("/phases/0/stages/0/sekonds", 1).find("phases[0].stages[0].sekonds: found an unknown key"),
              std::string::npos);
}

TEST(RunFile, RefusesAKeyThatIsMissing) {
    Json run = good_run();
    run.erase("seed");
    EXPECT_NE(complaint_about(run).find("seed: found no such key"), std::string::npos);
}

TEST(RunFile, NamesTheLineOfASyntaxError) {
    const auto run = parse_run("run.json", "{\n\"seed\": 1,\n]\n");
    ASSERT_FALSE(run);
    EXPECT_EQ(run.error().sentence, "run.json: line 3: found a syntax error, allowed JSON");
    EXPECT_EQ(run.error().exit_code, exit_bad_input);
}

TEST(RunFile, RefusesMessagesThatNoWaitEnds) {
    Json run = good_run();
    run["groups"][1].erase("times");
    Json begin = stage("ip2p"), wait = stage("wait");
    begin["id"] = wait["id"] = 3;
    Json &stages = run["phases"][0]["stages"];
    stages = Json::array({begin, stage("pi"), wait});
    EXPECT_EQ(complaint_about(run), "nothing");
    stages = Json::array({begin});
    EXPECT_NE(complaint_about(run).find("ip2p 3"), std::string::npos);
    stages = Json::array({wait, begin});
    EXPECT_NE(complaint_about(run).find("phases[0].stages[0].id: found 3"), std::string::npos);
    stages = Json::array({begin, begin, wait, wait});
    EXPECT_NE(complaint_about(run).find("3 twice"), std::string::npos);
}

TEST(RunFile, RefusesFileStagesWithoutAFolder) {
    Json run = good_run();
    run["groups"][1].erase("times");
    run["scratch"] = "/no/such/folder";
    EXPECT_EQ(complaint_about(run), "nothing");
    run["phases"][0]["stages"].push_back(stage("write"));
    EXPECT_NE(complaint_about(run).find("scratch: found \"/no/such/folder\", allowed an existing folder"),
              std::string::npos);
}
