// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_document.hpp"

#include "base/settings.hpp"
#include "job/state/report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace nereus::job {
namespace {

EpochDocument document_of_all_kinds() {
    EpochDocument document;
    document.epoch = 3;
    document.iteration = 17;
    document.ranks = 4;
    document.program = "cg";
    document.mpi = "an MPI";
    Description x{"x", false, false, false, {plan::Layout::block, 100}, 8};
    x.type = "float64";
    Description starts{"A", false, true, false, {plan::Layout::block, 10}, 8};
    starts.halo = 1;
    Description values{"A values", false, false, false, {plan::Layout::block, 40}, 8};
    values.rows_of = "A";
    const Description step{"step", true, false, false, {plan::Layout::block, 1}, 8};
    document.entries = {{x, true}, {starts}, {values}, {step}};
    return document;
}

EpochDocument document_of_a_restart() {
    EpochDocument document = document_of_all_kinds();
    RestartRecord record;
    Request request;
    request.ranks = 5;
    request.options = initial_resize_options();
    request.options.process_method = NEREUS_RESTART;
    request.save = Save::and_restart;
    record.root.requests.add(request);
    record.report = report_of(request, 4);
    record.saved_unix = 1.5;
    record.root.hosts = {{"n1", 2}, {"n2", 1}};
    record.root.daemon_line = CarriedLine{"ipc://d", "", "job", 9, {{1, 2}}, {{"last", 7}}};
    record.hosts_before = {{"n1", 2}};
    document.restart = record;
    document.entries[0].kept.file = memory::Handle{"x", 800, 4711, 5, 6, 7, ""};
    return document;
}

TEST(EpochDocument, PiecesThatAreHereAreReadAsTheyWereWritten) {
    EpochDocument document = document_of_all_kinds();
    document.held = {{0, 0, 80, 720, 0xffffffffU}, {3, 0, 0, 8, 0}};
    const auto read = document_from(as_text(document));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(as_text(*read), as_text(document));
    ASSERT_TRUE(read->held);
    EXPECT_EQ(read->held->front().checksum, 0xffffffffU);
}

TEST(EpochDocument, PiecesOfNoArrayAreRefused) {
    for (const char *held : {"[[4,0,0,8,0]]", "[[-1,0,0,8,0]]", "[[0,1,0,8,0]]", "[[0,-1,0,8,0]]", "[[0,0,0,801,0]]",
                             "[[0,0,799,2,0]]", "[[0,0,-8,8,0]]", "[[0,0,0,-8,0]]", "[[0,0,0,8]]", "[[0,0,0,8,0,0]]",
                             "[[0,0,0,8,4294967296]]", "[[0,0,0,8,-1]]", "[7]", "[{}]", "[[0,0,0,8,\"x\"]]", "7"}) {
        auto in = nlohmann::json::parse(as_text(document_of_all_kinds()));
        in["held"] = nlohmann::json::parse(held);
        EXPECT_FALSE(document_from(in.dump())) << held;
    }
}

TEST(EpochDocument, IsReadAsItWasWritten) {
    const EpochDocument document = document_of_all_kinds();
    const auto read = document_from(as_text(document));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(as_text(*read), as_text(document));
    ASSERT_EQ(read->entries.size(), 4u);
    EXPECT_EQ(read->entries[0].is, document.entries[0].is);
    EXPECT_TRUE(read->entries[0].own_memory);
    EXPECT_EQ(forms_of(*read)[1].elements, 11) << "row starts have one more than there are rows";
}

TEST(EpochDocument, OneOfARestartHasWhatTheNextRootNeeds) {
    const EpochDocument document = document_of_a_restart();
    const auto read = document_from(as_text(document));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(as_text(*read), as_text(document));
    RestartRecord found = read->restart.value();
    EXPECT_EQ(found.root.requests.take().save, Save::and_restart);
    EXPECT_EQ(found.root.daemon_line->commands.at(1), 2u);
    EXPECT_EQ(found.report.to, 5);
    EXPECT_FALSE(document_from(as_text(document_of_all_kinds()))->restart);
}

TEST(EpochDocument, ArrayThatIsKeptInMemoryHasNoElementsInTheEpoch) {
    const EpochDocument document = document_of_a_restart();
    const auto read = document_from(as_text(document));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->entries[0].kept.file, document.entries[0].kept.file);
    EXPECT_FALSE(read->entries[0].kept.copy);
    EXPECT_FALSE(read->entries[1].kept.file);
    EXPECT_EQ(forms_of(*read)[0].elements, 0);
    EXPECT_EQ(forms_of(*read)[0].chunks(), 0);
}

TEST(EpochDocument, MemoryThatDoesNotFitTheArrayIsRefused) {
    auto json = nlohmann::json::parse(as_text(document_of_all_kinds()));
    const auto handle = memory::as_json({"x", 800, 4711, 5, 6, 7, ""});
    json["entries"][0]["kept"] = handle;
    EXPECT_TRUE(document_from(json.dump()));
    json["entries"][0]["kept"]["bytes"] = 792;
    EXPECT_FALSE(document_from(json.dump())) << "another length";
    json["entries"][0]["kept"] = handle;
    json["entries"][0]["copy"] = handle;
    EXPECT_EQ(document_from(json.dump()).value().entries[0].kept.copy, memory::handle_from(handle).value());
    json["entries"][0]["copy"]["bytes"] = 792;
    EXPECT_FALSE(document_from(json.dump())) << "a copy of another length";
    json["entries"][0]["copy"] = handle;
    json["entries"][0].erase("kept");
    EXPECT_FALSE(document_from(json.dump())) << "a copy alone";
    json["entries"][0].erase("copy");
    json["entries"][0]["kept"] = nlohmann::json::object();
    EXPECT_FALSE(document_from(json.dump())) << "no handle";
    json["entries"][0].erase("kept");
    json["entries"][3]["kept"] = handle;
    json["entries"][3]["kept"]["bytes"] = 8;
    EXPECT_FALSE(document_from(json.dump())) << "a value is in no shared memory";
}

TEST(EpochDocument, RecordOfARestartThatIsNoneIsRefused) {
    auto json = nlohmann::json::parse(as_text(document_of_all_kinds()));
    for (const nlohmann::json &wrong : {nlohmann::json(5), nlohmann::json::object(), nlohmann::json("restart")}) {
        json["restart"] = wrong;
        EXPECT_EQ(document_from(json.dump()).error().code, NEREUS_ERR_MISMATCH);
    }
}

/// The document with one key changed, of its first entry where `of_entry`.
Result<EpochDocument> with(const std::string &key, const nlohmann::json &value, bool of_entry) {
    auto json = nlohmann::json::parse(as_text(document_of_all_kinds()));
    (of_entry ? json["entries"][0] : json)[key] = value;
    return document_from(json.dump());
}

TEST(EpochDocument, WhatIsNotAllowedIsRefused) {
    EXPECT_NE(with("format", 2, false).error().what.find("format 2"), std::string::npos);
    for (const auto &[key, value] : std::vector<std::pair<std::string, nlohmann::json>>{
             {"epoch", 0}, {"iteration", -1}, {"generation", INT64_MAX}, {"ranks", 0}, {"program", 5}, {"entries", 5}})
        EXPECT_FALSE(with(key, value, false)) << key << " = " << value;
    for (const auto &[key, value] : std::vector<std::pair<std::string, nlohmann::json>>{{"name", ""},
                                                                                        {"name", std::string(64, 'x')},
                                                                                        {"name", "step"},
                                                                                        {"extent", 0},
                                                                                        {"extent", 4},
                                                                                        {"type", "int33"},
                                                                                        {"halo", 2},
                                                                                        {"rows_of", "B"},
                                                                                        {"shape", 1},
                                                                                        {"own_memory", 1}})
        EXPECT_FALSE(with(key, value, true)) << key << " = " << value;
}

TEST(EpochDocument, PiecesThatCannotBeCountedAreRefused) {
    const auto with_counts = [](const nlohmann::json &counts) {
        return with("own", nlohmann::json::array({{{"name", "particles"}, {"counts", counts}, {"bytes", 8}}}), false);
    };
    const std::int64_t many = std::int64_t{1} << 54;
    EXPECT_TRUE(with_counts({many, many, 0, many}));
    EXPECT_FALSE(with_counts({many, many, many, many + 1})) << "in all";
    EXPECT_FALSE(with_counts({1, INT64_MAX, INT64_MAX, 3}));
    EXPECT_FALSE(with_counts({1, 2, 3, -1}));
    EXPECT_FALSE(with_counts({1, 2, 3})) << "of three ranks";
}

RC_GTEST_PROP(EpochDocument, ThatWasChangedIsRefusedOrUsable, ()) {
    std::string text = as_text(*rc::gen::arbitrary<bool>() ? document_of_a_restart() : document_of_all_kinds());
    for (int i = *rc::gen::inRange(1, 5); i > 0; --i)
        text[*rc::gen::inRange<std::size_t>(0, text.size())] = *rc::gen::arbitrary<char>();
    const auto read = document_from(text);
    if (!read) {
        RC_ASSERT(read.error().code == NEREUS_ERR_MISMATCH && !read.error().what.empty());
        return;
    }
    for (const epochs::ArrayForm &form : forms_of(*read)) RC_ASSERT(form.elements >= 0 && form.extent >= 1);
}

}
}
