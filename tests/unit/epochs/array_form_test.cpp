// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/array_form.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <rapidcheck/gtest.h>
#include <set>

namespace nereus::epochs {
namespace {

ArrayForm any_form() {
    const auto extent = *rc::gen::element<std::int64_t>(1, 3, 8, 24, 4096, most_chunk_bytes - 1, 3 * most_chunk_bytes);
    return {"x", "", *rc::gen::inRange<std::int64_t>(0, 100 * most_chunk_bytes / extent + 2), extent};
}

RC_GTEST_PROP(ArrayForm, ChunksHoldAllElementsAndLittleMore, ()) {
    const ArrayForm array = any_form();
    const std::int64_t all = array.chunks() * array.elements_of_chunk();
    RC_ASSERT(all >= array.elements);
    RC_ASSERT(all - array.elements < std::max<std::int64_t>(array.chunks(), 1));
    RC_ASSERT(array.chunk_bytes() <= std::max(most_chunk_bytes, array.extent));
}

RC_GTEST_PROP(ArrayForm, PartsOfChunksAreTheElementsInTheirOrder, ()) {
    const ArrayForm array = any_form();
    const std::int64_t first = *rc::gen::inRange<std::int64_t>(0, array.elements + 1);
    const plan::Range range{first, *rc::gen::inRange<std::int64_t>(first, array.elements + 1)};
    std::int64_t place = range.first * array.extent;
    for (const ChunkPart &part : chunk_parts(array, range)) {
        RC_ASSERT(part.bytes > 0);
        RC_ASSERT(part.chunk * array.chunk_bytes() + part.place == place);
        RC_ASSERT(part.place + part.bytes <= array.chunk_bytes());
        place += part.bytes;
    }
    RC_ASSERT(place == range.end * array.extent);
}

RC_GTEST_PROP(ArrayForm, FoldersOfDifferentNamesDifferAndStayInsideTheEpoch, ()) {
    const auto name = rc::gen::nonEmpty(rc::gen::container<std::string>(
        rc::gen::element('a', 'A', '/', '.', '_', '%', '2', 'F', ' ', '\n', '\x7f', '\xc3')));
    const ArrayForm one{*name, "", 1, 1}, other{*name, "", 1, 1};
    RC_ASSERT((one.folder() == other.folder()) == (one.name == other.name));
    const std::string folder = one.folder().string();
    RC_ASSERT(folder.find_first_of("/ \n") == std::string::npos);
    RC_ASSERT(folder.front() != '.' && folder.front() != '_');
}

TEST(ArrayForm, MetadataIsThatOfZarrVersion3) {
    const auto metadata = nlohmann::json::parse(ArrayForm{"x", "float64", 1003, 8}.metadata());
    EXPECT_EQ(metadata["zarr_format"], 3);
    EXPECT_EQ(metadata["shape"], nlohmann::json({1003}));
    EXPECT_EQ(metadata["data_type"], "float64");
    EXPECT_EQ(metadata["codecs"][1]["name"], "crc32c");
}

TEST(ArrayForm, ElementsWithoutATypeAreBytesOfASecondDimension) {
    const auto metadata = nlohmann::json::parse(ArrayForm{"x", "", 7, 24}.metadata());
    EXPECT_EQ(metadata["shape"], nlohmann::json({7, 24}));
    EXPECT_EQ(metadata["data_type"], "uint8");
}

TEST(ArrayForm, OtherMetadataIsRefusedWithWhatDiffers) {
    const ArrayForm array{"x", "float64", 1003, 8};
    EXPECT_TRUE(array.check_metadata(array.metadata()));
    const auto shorter = array.check_metadata(ArrayForm{"x", "float64", 1002, 8}.metadata());
    ASSERT_FALSE(shorter);
    EXPECT_NE(shorter.error().what.find("x/zarr.json: its chunk_grid is "), std::string::npos);
    EXPECT_FALSE(array.check_metadata("[]"));
    EXPECT_FALSE(array.check_metadata(""));
    EXPECT_FALSE(array.check_metadata("{}"));
}

TEST(ArrayForm, TypesAreKnownByKindAndLength) {
    EXPECT_EQ(data_type("float", 8), "float64");
    EXPECT_EQ(data_type("uint", 2), "uint16");
    EXPECT_EQ(data_type("complex", 16), "complex128");
    EXPECT_EQ(data_type("float", 16), "");
    EXPECT_EQ(data_type("", 8), "");
    EXPECT_TRUE(is_data_type("int32", 4) && is_data_type("", 5));
    EXPECT_FALSE(is_data_type("int32", 8) || is_data_type("int33", 4));
}

}
}
