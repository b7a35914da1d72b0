// SPDX-License-Identifier: BSD-3-Clause
#include "link/message.hpp"

#include "peer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace nereus::link {
namespace {

using nlohmann::json;

json message_of(const std::string &kind) { return {{"version", 1}, {"job", job}, {"kind", kind}}; }

json with(const std::string &key, const json &value) {
    json message = message_of("resize");
    message[key] = value;
    return message;
}

std::string nested(int depth, char open, char close) {
    const auto levels = static_cast<std::size_t>(depth);
    const std::string one = open == '{' ? "{\"a\":" : std::string(1, open);
    std::string text;
    for (std::size_t i = 0; i < levels; ++i) text += one;
    return text + "1" + std::string(levels, close);
}

/// The text of a good message with `value` as one more key.
std::string carrying(const std::string &value) {
    std::string text = message_of("orders").dump();
    text.pop_back();
    return text + ",\"orders\":" + value + "}";
}

/// Any JSON value of a few levels.
rc::Gen<json> any_json(int levels) {
    const auto number = rc::gen::map(rc::gen::arbitrary<int>(), [](int n) { return json(n); });
    const auto text = rc::gen::map(rc::gen::string<std::string>(), [](const std::string &t) { return json(t); });
    const auto truth = rc::gen::map(rc::gen::arbitrary<bool>(), [](bool b) { return json(b); });
    if (levels == 0) return rc::gen::oneOf(number, text, truth, rc::gen::just(json(nullptr)));
    const auto list = rc::gen::map(rc::gen::container<std::vector<json>>(any_json(levels - 1)),
                                   [](const std::vector<json> &items) { return json(items); });
    const auto key = rc::gen::element<std::string>("version", "job", "kind", "orders", "");
    const auto object = rc::gen::map(rc::gen::container<std::map<std::string, json>>(key, any_json(levels - 1)),
                                     [](const std::map<std::string, json> &items) { return json(items); });
    return rc::gen::oneOf(number, text, list, object);
}

/// What every reader of a message may rely on.
void expect_readable(const std::optional<json> &message) {
    if (!message) return;
    RC_ASSERT(message->at("version") == 1);
    RC_ASSERT(message->at("job") == job);
    RC_ASSERT(message->at("kind").is_string());
}

TEST(LinkFrame, WhatOneSideWritesTheOtherReads) {
    const json sent = {{"kind", "make"}, {"request", 3}, {"parties", {{{"party", 0}, {"shares", json::array()}}}}};
    const auto received = read_frame(written_frame(sent, job).value(), job);
    ASSERT_TRUE(received);
    json expected = sent;
    expected["version"] = 1;
    expected["job"] = job;
    EXPECT_EQ(*received, expected);
}

TEST(LinkFrame, AMessageOfAnotherVersionIsDropped) {
    for (const json &version : {json(0), json(2), json("1"), json(nullptr), json(1.5), json(true)})
        EXPECT_FALSE(read_frame(with("version", version).dump(), job)) << version;
}

TEST(LinkFrame, AMessageOfAnotherJobIsDropped) {
    for (const json &name : {json("0123456789abcdee"), json(""), json(7), json(nullptr)})
        EXPECT_FALSE(read_frame(with("job", name).dump(), job)) << name;
}

TEST(LinkFrame, AMessageWithoutAKindIsDropped) {
    for (const json &kind : {json(1), json(nullptr), json::array()})
        EXPECT_FALSE(read_frame(with("kind", kind).dump(), job)) << kind;
    json without = message_of("resize");
    without.erase("kind");
    EXPECT_FALSE(read_frame(without.dump(), job));
}

TEST(LinkFrame, WhatIsNoObjectIsDropped) {
    for (const char *frame :
         {"", "1", "[]", "null", "\"text\"", "{", "}", "{}{}", "[[", "\xff\xfe", "{\"a\":\"\xff\"}"})
        EXPECT_FALSE(read_frame(frame, job)) << frame;
}

TEST(LinkFrame, NestingThatWouldTakeTheStackIsDropped) {
    for (const int depth : {deepest_nesting, 1000, 200000}) {
        EXPECT_FALSE(read_frame(carrying(nested(depth, '[', ']')), job)) << depth;
        EXPECT_FALSE(read_frame(carrying(nested(depth, '{', '}')), job)) << depth;
    }
    EXPECT_TRUE(read_frame(carrying(nested(deepest_nesting - 1, '[', ']')), job));
}

TEST(LinkFrame, BracketsInsideATextAreNoNesting) {
    const std::string brackets(1000, '[');
    const auto message = read_frame(with("message", "\\\"" + brackets + "\"").dump(), job);
    ASSERT_TRUE(message);
    EXPECT_EQ(message->at("message"), "\\\"" + brackets + "\"");
}

TEST(LinkFrame, AFrameOfMoreThanAMebibyteIsDropped) {
    std::string frame = message_of("resize").dump();
    frame.resize(longest_frame, ' ');
    EXPECT_TRUE(read_frame(frame, job));
    EXPECT_FALSE(read_frame(frame + ' ', job));
}

TEST(LinkFrame, AMessageThatIsTooLongIsRefusedBeforeItIsSent) {
    const auto frame = written_frame({{"kind", "orders"}, {"orders", std::string(longest_frame, 'x')}}, job);
    ASSERT_FALSE(frame);
    EXPECT_EQ(frame.error().code, NEREUS_ERR_PROCESS);
}

TEST(LinkFrame, ATextThatIsNotUtf8StillArrives) {
    const auto received = read_frame(written_frame({{"kind", "answer"}, {"message", "a\xff!"}}, job).value(), job);
    ASSERT_TRUE(received);
    EXPECT_EQ(received->at("message"), "a\xEF\xBF\xBD!");
}

RC_GTEST_PROP(LinkFrame, AnyBytesAreReadOrDropped, (const std::string &bytes)) {
    expect_readable(read_frame(bytes, job));
    expect_readable(read_frame(carrying(bytes), job));
}

RC_GTEST_PROP(LinkFrame, AnyJsonIsReadOrDropped, ()) {
    const json value = *any_json(3);
    expect_readable(read_frame(value.dump(-1, ' ', false, json::error_handler_t::ignore), job));
    expect_readable(read_frame(carrying(value.dump(-1, ' ', false, json::error_handler_t::ignore)), job));
}

RC_GTEST_PROP(LinkFrame, ADamagedMessageIsReadOrDropped, (std::size_t where, char byte)) {
    std::string frame = carrying(R"([{"host":"n1","ranks":2},"\"\\]"])");
    frame[where % frame.size()] = byte;
    expect_readable(read_frame(frame, job));
    expect_readable(read_frame(frame.substr(0, where % frame.size()), job));
}

}
}
