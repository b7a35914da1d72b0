// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: something that was recorded and does not come to the file.
#include "a_record.hpp"

#include "record/lines.hpp"

#include <fstream>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace nereus::monitor {
namespace {

using Json = nlohmann::ordered_json;
using testing::AllOf;
using testing::SizeIs;

std::vector<Json> lines(const Record &record, const std::string &event) {
    std::vector<Json> found;
    lines_of(record.arena(), [&](const Json &line) {
        if (line["event"] == event) found.push_back(line);
    });
    return found;
}

TEST(Lines, NameTheProcess) {
    const auto record = a_record();
    record->end(End::finalized);
    const auto processes = lines(*record, "process");
    ASSERT_THAT(processes, SizeIs(1));
    EXPECT_EQ(processes[0]["rank"], 3);
    EXPECT_EQ(processes[0]["ranks"], 8);
    EXPECT_EQ(processes[0]["end"], "finalized");
    EXPECT_EQ(processes[0]["lost_messages"], 0);
}

TEST(Lines, HaveAllPeersOfOneWayTogether) {
    const auto record = a_record();
    for (const std::uint64_t peer : {4, 1, 2}) record->here().count(to(peer), peer * 100);
    record->here().count(to(1, Kind::put), 8);
    const auto moved = lines(*record, "moved");
    ASSERT_THAT(moved, SizeIs(2));
    EXPECT_EQ(moved[0]["kind"], "point_to_point");
    EXPECT_EQ(moved[0]["to"], Json::parse(R"([[1, 1, 100, {"7": 1}], [2, 1, 200, {"8": 1}], [4, 1, 400, {"9": 1}]])"));
    EXPECT_EQ(moved[1]["kind"], "put");
}

TEST(Lines, SayWhomACollectiveReaches) {
    const auto record = a_record();
    Address all;
    all.kind = Kind::collective;
    all.call = Call::allreduce;
    all.reach = Reach::all;
    all.scope = 5;
    record->here().count(all, 8);
    const auto moved = lines(*record, "moved");
    ASSERT_THAT(moved, SizeIs(1));
    EXPECT_EQ(moved[0]["call"], "allreduce");
    EXPECT_EQ(moved[0]["reach"], "all");
    EXPECT_EQ(moved[0]["communicator"], 5);
    EXPECT_EQ(moved[0]["messages"], 1);
}

TEST(Lines, TellOtherWorldsApart) {
    const auto record = a_record();
    record->here().count(to(1), 8);
    record->here().count(to(std::uint64_t{2} << 32 | 1), 8);
    const auto moved = lines(*record, "moved");
    ASSERT_THAT(moved, SizeIs(2));
    EXPECT_FALSE(moved[0].contains("to_world"));
    EXPECT_EQ(moved[1]["to_world"], 2);
    EXPECT_EQ(moved[1]["to"][0][0], 1);
}

TEST(Lines, OfWindowsHaveTheirRows) {
    const auto record = a_record();
    record->here().count(to(1), 8);
    const auto windows = lines(*record, "window");
    ASSERT_THAT(windows, SizeIs(1));
    EXPECT_EQ(windows[0]["window"], 0);
    EXPECT_EQ(windows[0]["rows"], Json::parse(R"([[0, "peer", 0, 1, 1, 8]])"));
}

RC_GTEST_PROP(Lines, OfADamagedFileAreThoseThatCanBeRead, (std::uint16_t place, std::uint64_t noise)) {
    const Folder folder;
    {
        const auto record = a_record(facts(folder.file("a")));
        for (int peer = 0; peer < 40; ++peer) record->here().count(to(peer), 8);
        record->unseen("a", "b");
    }
    {
        std::fstream file(folder.file("a"), std::ios::in | std::ios::out | std::ios::binary);
        file.seekp(place);
        file.write(reinterpret_cast<const char *>(&noise), sizeof noise);
    }
    const auto damaged = Arena::open(folder.file("a"));
    if (damaged) lines_of(*damaged, [](const Json &line) { RC_ASSERT(text_of(line).front() == '{'); });
}

TEST(Lines, SayOnceWhatIsUnseen) {
    const auto record = a_record();
    for (int i = 0; i < 3; ++i) record->unseen("a thing", "no \xff eyes");
    const auto unseen = lines(*record, "unseen");
    ASSERT_THAT(unseen, SizeIs(1));
    EXPECT_EQ(unseen[0]["what"], "a thing");
    EXPECT_EQ(unseen[0]["rank"], 3);
}

}
}
