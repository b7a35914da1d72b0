// SPDX-License-Identifier: BSD-3-Clause
#include "base/resize_options.hpp"
#include "job/state/report.hpp"
#include "job/state/request.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace nereus::job {
namespace {

TEST(Report, IsToldToNewcomersWhole) {
    nereus_resize_report report{};
    report.request = 3;
    report.code = NEREUS_RESIZED;
    report.transfer_method = NEREUS_COL;
    report.process_strategies = NEREUS_SINGLE | NEREUS_ASYNCHRONOUS;
    report.connect_seconds = 0.25;
    report.variable_bytes = 2000;
    report.shared_bytes = 3000;
    report.transfer_strategy = NEREUS_WAIT_DRAINS;
    report.background_iterations = 17;
    report.woken = 2;
    const nlohmann::json json = as_json(report);
    EXPECT_EQ(as_json(report_from(json)), json);
    EXPECT_EQ(report_from(json).variable_bytes, 2000);
    EXPECT_EQ(report_from(json).shared_bytes, 3000);
    EXPECT_EQ(report_from(json).transfer_strategy, NEREUS_WAIT_DRAINS);
    EXPECT_EQ(report_from(json).background_iterations, 17);
    EXPECT_EQ(report_from(json).process_strategies, unsigned{NEREUS_SINGLE | NEREUS_ASYNCHRONOUS});
    EXPECT_EQ(report_from(json).connect_seconds, 0.25);
    EXPECT_EQ(report_from(json).woken, 2);
    EXPECT_EQ(report_from(json).transfer_method, NEREUS_COL);
}

TEST(Report, ALongReasonIsCutAndStaysAString) {
    nlohmann::json json = as_json(nereus_resize_report{});
    json["reason"] = std::string(1000, 'r');
    EXPECT_EQ(std::string(report_from(json).reason), std::string(255, 'r'));
}

TEST(Report, IsToldToPeopleInWords) {
    nereus_resize_report report{};
    report.process_method = NEREUS_BASELINE_INTRA;
    report.process_strategies = NEREUS_SINGLE | NEREUS_ASYNCHRONOUS;
    EXPECT_EQ(for_people(report).at("process_method"), "baseline-intra");
    EXPECT_EQ(for_people(report).at("process_strategies"), nlohmann::json({"asynchronous", "single"}));
}

Request request_for(int ranks, nereus_process_method method, nereus_transfer_method transfer) {
    nereus_resize_options options{};
    options.process_method = method;
    options.transfer_method = transfer;
    options.transfer_strategy = NEREUS_THREAD;
    options.survivors = NEREUS_LEAST_MOVEMENT;
    options.process_strategies = NEREUS_PARALLEL;
    options.release_unit = NEREUS_UNIT_RANK;
    return {0, ranks, Save::no, 0, options};
}

TEST(Requests, AreTakenInTheOrderInWhichTheyCame) {
    Requests requests;
    EXPECT_EQ(requests.add(request_for(4, NEREUS_MERGE, NEREUS_P2P)), 1u);
    EXPECT_EQ(requests.add(request_for(2, NEREUS_BASELINE_INTER, NEREUS_COL)), 2u);
    EXPECT_EQ(requests.take().ranks, 4);
    EXPECT_EQ(requests.take().options.process_method, NEREUS_BASELINE_INTER);
    EXPECT_EQ(requests.take().number, 0u);
}

TEST(Requests, MoveToTheNextRankZeroWithTheirNumbers) {
    Requests before;
    before.add(request_for(4, NEREUS_MERGE, NEREUS_P2P));
    before.add(request_for(2, NEREUS_BASELINE_INTRA, NEREUS_COL));
    before.take();
    Requests after = Requests::from(before.as_json()).value();
    ASSERT_FALSE(after.empty());
    EXPECT_EQ(after.add(request_for(3, NEREUS_MERGE, NEREUS_P2P)), 3u);
    const Request waiting = after.take();
    EXPECT_EQ(waiting.number, 2u);
    EXPECT_EQ(waiting.ranks, 2);
    EXPECT_EQ(waiting.options.process_method, NEREUS_BASELINE_INTRA);
    EXPECT_EQ(waiting.options.transfer_method, NEREUS_COL);
    EXPECT_EQ(waiting.options.transfer_strategy, NEREUS_THREAD);
    EXPECT_EQ(waiting.options.survivors, NEREUS_LEAST_MOVEMENT);
    EXPECT_EQ(waiting.options.process_strategies, unsigned{NEREUS_PARALLEL});
    EXPECT_EQ(waiting.options.release_unit, NEREUS_UNIT_RANK);
}

TEST(Requests, ThatCannotBeAreRefused) {
    Requests waiting;
    waiting.add(request_for(4, NEREUS_MERGE, NEREUS_P2P));
    const nlohmann::json good = waiting.as_json();
    for (const auto &[key, value] : good.at("waiting").at(0).items())
        for (const nlohmann::json &wrong : {nlohmann::json(-1), nlohmann::json(7e9), nlohmann::json("1"),
                                            nlohmann::json(UINT64_MAX), nlohmann::json(nullptr)}) {
            nlohmann::json bad = good;
            bad["waiting"][0][key] = wrong;
            const auto refused = Requests::from(bad);
            ASSERT_FALSE(refused) << bad;
            EXPECT_EQ(refused.error().code, NEREUS_ERR_MISMATCH);
        }
    for (const ResizeOption &option : resize_options) {
        nlohmann::json bad = good;
        bad["waiting"][0][option.name] = option.is_sum ? 1 << option.words->size() : int(option.words->size());
        EXPECT_FALSE(Requests::from(bad)) << bad;
    }
    for (const nlohmann::json &bad : {nlohmann::json(), nlohmann::json(3), nlohmann::json{{"last", 1}}})
        EXPECT_FALSE(Requests::from(bad));
}

}
}
