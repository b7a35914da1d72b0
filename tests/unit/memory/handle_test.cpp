// SPDX-License-Identifier: BSD-3-Clause
#include "memory/handle.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>

namespace nereus::memory {
namespace {

RC_GTEST_PROP(Handle, ArrivesAsItWasSent, ()) {
    const auto bytes = rc::gen::inRange<std::int64_t>(0, INT64_MAX);
    const auto number = rc::gen::oneOf(rc::gen::arbitrary<std::uint64_t>(), rc::gen::just(UINT64_MAX));
    const Handle sent{"x", *bytes, *bytes, *rc::gen::inRange(0, INT32_MAX), *number, *number, "/dev/shm/nereus-1-2"};
    const auto arrived = handle_from(nlohmann::json::from_msgpack(nlohmann::json::to_msgpack(as_json(sent))));
    RC_ASSERT(arrived.has_value());
    RC_ASSERT(*arrived == sent);
}

TEST(Handle, WhatIsNoneIsRefusedWithTheNumberThatIsWrong) {
    const auto refusal_of = [](const char *key, const nlohmann::json &value) {
        auto in = as_json({"x", 8, 1, 2, 3, 4, ""});
        in[key] = value;
        const auto handle = handle_from(in);
        return handle ? std::string("accepted") : handle.error().what;
    };
    const std::string begin = "a handle of shared memory cannot be read: ";
    EXPECT_EQ(refusal_of("bytes", -1), begin + "bytes = -1");
    EXPECT_EQ(refusal_of("bytes", UINT64_MAX), begin + "bytes = 18446744073709551615");
    EXPECT_EQ(refusal_of("descriptor", 1LL << 31), begin + "descriptor = 2147483648");
    EXPECT_EQ(refusal_of("pid", 1.5), begin + "pid = 1.5");
    EXPECT_NE(refusal_of("path", 7), "accepted");
    EXPECT_FALSE(handle_from(nlohmann::json::array()));
    EXPECT_FALSE(handle_from(nlohmann::json::object()));
}

}
}
