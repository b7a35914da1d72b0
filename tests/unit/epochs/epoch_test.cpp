// SPDX-License-Identifier: BSD-3-Clause
#include "epoch_case.hpp"

#include <rapidcheck/gtest.h>

namespace nereus::epochs {
namespace {

TEST(Epoch, IsReadBackByAnyNumberOfProcesses) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path() / "saved");
    ASSERT_TRUE(folder.prepare());
    for (int writers = 1; writers <= 5; ++writers) {
        const auto epoch = static_cast<std::uint64_t>(writers);
        ASSERT_TRUE(save(folder, epoch, usual_arrays(), writers));
        for (int readers = 1; readers <= 5; ++readers)
            EXPECT_EQ(read_back(folder, epoch, usual_arrays(), readers).value_or(false), true);
    }
}

TEST(Epoch, OfSeveralChunksIsReadBack) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    const std::vector<ArrayForm> arrays{{"x", "uint8", 2 * most_chunk_bytes + 5, 1}};
    ASSERT_EQ(arrays[0].chunks(), 3);
    ASSERT_TRUE(save(folder, 1, arrays, 2));
    EXPECT_EQ(read_back(folder, 1, arrays, 3).value_or(false), true);
}

RC_GTEST_PROP(Epoch, AnyArraysAreReadBackByAnyNumberOfProcesses, ()) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    std::vector<ArrayForm> arrays;
    for (int i = *rc::gen::inRange(0, 4); i > 0; --i)
        arrays.push_back({"array " + std::to_string(i), "", *rc::gen::inRange<std::int64_t>(0, 50),
                          *rc::gen::inRange<std::int64_t>(1, 40)});
    RC_ASSERT(folder.prepare().has_value());
    RC_ASSERT(save(folder, 7, arrays, *rc::gen::inRange(1, 6)).has_value());
    RC_ASSERT(read_back(folder, 7, arrays, *rc::gen::inRange(1, 6)).value_or(false));
}

TEST(Epoch, ItsDocumentIsFound) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    ASSERT_TRUE(save(folder, 3, usual_arrays(), 2));
    EXPECT_EQ(document_of(folder, 3).value_or(""), R"({"epoch":3})");
}

TEST(Epoch, APieceThatIsMissingIsFoundBeforeTheEpochIsComplete) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    EpochWriter writer(folder, 1, {{"x", "uint8", 10, 1}});
    ASSERT_TRUE(writer.begin());
    ASSERT_TRUE(writer.write(0, {0, 4}, Bytes(4).data()));
    ASSERT_TRUE(writer.write(0, {5, 10}, Bytes(5).data()));
    ASSERT_TRUE(writer.finish());
    const auto done = writer.complete(writer.pieces(), "{}");
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().what, "chunk 0 of \"x\": its pieces do not fit together at byte 4");
    EXPECT_TRUE(folder.epochs().value_or(std::vector<std::uint64_t>{9}).empty());
}

}
}
