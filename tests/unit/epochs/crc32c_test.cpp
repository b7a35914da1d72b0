// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/crc32c.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

namespace nereus::epochs {
namespace {

std::uint32_t checksum_of(const std::string &text) {
    return crc32c(reinterpret_cast<const std::byte *>(text.data()), text.size());
}

/// RFC 3720, appendix B.4, and the usual check value.
TEST(Crc32c, KnownValues) {
    EXPECT_EQ(checksum_of("123456789"), 0xe3069283U);
    EXPECT_EQ(checksum_of(std::string(32, '\0')), 0x8a9136aaU);
    EXPECT_EQ(checksum_of(std::string(32, '\xff')), 0x62a8ab43U);
    EXPECT_EQ(checksum_of(""), 0U);
}

/// Bit by bit, as the RFC says.
std::uint32_t slowly(const std::string &text) {
    std::uint32_t state = ~0U;
    for (const char c : text) {
        state ^= static_cast<unsigned char>(c);
        for (int i = 0; i < 8; ++i) state = (state & 1U) != 0 ? (state >> 1) ^ 0x82f63b78U : state >> 1;
    }
    return ~state;
}

RC_GTEST_PROP(Crc32c, EqualsTheOneThatTakesBitByBit, (const std::string &text)) {
    RC_ASSERT(checksum_of(text) == slowly(text));
}

RC_GTEST_PROP(Crc32c, OfPiecesIsThatOfTheWhole, (const std::string &one, const std::string &other)) {
    const std::uint32_t first = checksum_of(one), second = checksum_of(other);
    RC_ASSERT(joined_crc32c(first, second, other.size()) == checksum_of(one + other));
    RC_ASSERT(crc32c(reinterpret_cast<const std::byte *>(other.data()), other.size(), first) ==
              checksum_of(one + other));
}

RC_GTEST_PROP(Crc32c, OfZerosNeedsNoZeros, ()) {
    const auto count = *rc::gen::inRange<std::size_t>(0, 5000);
    RC_ASSERT(crc32c_of_zeros(count) == checksum_of(std::string(count, '\0')));
}

}
}
