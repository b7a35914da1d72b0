// SPDX-License-Identifier: BSD-3-Clause
#include "plan/checksum.hpp"

#include "plan/cut.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace nereus::plan {
namespace {

struct Data {
    std::int64_t extent = *rc::gen::element<std::int64_t>(1, 3, 4, 8, 12, 16, 24);
    std::int64_t elements = *rc::gen::inRange<std::int64_t>(2, 60);
    std::vector<std::uint8_t> bytes = *rc::gen::container<std::vector<std::uint8_t>>(
        static_cast<std::size_t>(elements * extent), rc::gen::arbitrary<std::uint8_t>());

    std::uint64_t sum_of(Range part) const {
        const auto *data = reinterpret_cast<const std::byte *>(bytes.data());
        return checksum(data + part.first * extent, part.count() * extent, part.first * extent, extent);
    }
    std::uint64_t sum() const { return sum_of({0, elements}); }
    auto element(std::int64_t number) { return bytes.begin() + number * extent; }
};

RC_GTEST_PROP(Checksum, IsTheSameHoweverTheArrayIsCut, ()) {
    const Data data;
    const Cut cut{Layout::block, data.elements, *rc::gen::inRange(1, 70)};
    std::uint64_t sum = 0;
    for (int rank = 0; rank < cut.ranks; ++rank) sum += data.sum_of(cut.range_of(rank));
    RC_ASSERT(sum == data.sum());
}

RC_GTEST_PROP(Checksum, SeesAByteThatArrivedChanged, ()) {
    Data data;
    const auto before = data.sum();
    const auto flip = static_cast<std::uint8_t>(*rc::gen::inRange(1, 256));
    data.bytes[*rc::gen::inRange<std::size_t>(0, data.bytes.size())] ^= flip;
    RC_ASSERT(data.sum() != before);
}

RC_GTEST_PROP(Checksum, SeesElementsThatChangedPlaces, ()) {
    Data data;
    const auto a = *rc::gen::inRange<std::int64_t>(0, data.elements),
               b = *rc::gen::inRange<std::int64_t>(0, data.elements);
    RC_PRE(!std::equal(data.element(a), data.element(a + 1), data.element(b)));
    const auto before = data.sum();
    std::swap_ranges(data.element(a), data.element(a + 1), data.element(b));
    RC_ASSERT(data.sum() != before);
}

RC_GTEST_PROP(Checksum, SeesAnElementThatIsMissing, ()) {
    const Data data; // the element's place counts too: one of zeros is missed as well
    RC_ASSERT(data.sum_of({0, data.elements - 1}) != data.sum());
}

TEST(Checksum, DoesNotDependOnWhereThePartLiesInMemory) {
    std::vector<std::byte> memory(41, std::byte{3});
    EXPECT_EQ(checksum(memory.data(), 40, 0, 8), checksum(memory.data() + 1, 40, 0, 8));
}

}
}
