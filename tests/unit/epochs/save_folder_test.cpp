// SPDX-License-Identifier: BSD-3-Clause
#include "epoch_case.hpp"

#include <fstream>

namespace nereus::epochs {
namespace {

using Numbers = std::vector<std::uint64_t>;

TEST(SaveFolder, KeepsTheTwoNewestEpochs) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    for (const std::uint64_t epoch : {1, 2, 3, 9}) ASSERT_TRUE(save(folder, epoch, usual_arrays(), 1));
    EXPECT_EQ(folder.epochs().value_or(Numbers{}), (Numbers{3, 9}));
    EXPECT_TRUE(folder.prepare()) << "it is known again";
}

TEST(SaveFolder, OfSomethingElseIsRefused) {
    const OwnFolder own;
    std::ofstream(own.path() / "thesis.tex") << "all of it";
    SaveFolder folder(disk(), own.path());
    const auto done = folder.prepare();
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, NEREUS_ERR_SETTING);
    EXPECT_NE(done.error().what.find("is no folder of epochs"), std::string::npos);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(own.path()), {}), 1) << "nothing was put there";
}

TEST(SaveFolder, OfAnotherFormatIsRefused) {
    const OwnFolder own;
    for (const std::string content :
         {R"({"attributes": {"nereus": {"epochs": 2}}})", R"({"zarr_format": 3})", "[]", "", "\xff"}) {
        std::ofstream(own.path() / "zarr.json", std::ios::trunc) << content;
        EXPECT_FALSE(SaveFolder(disk(), own.path()).prepare()) << content;
    }
}

TEST(SaveFolder, AFileInItsPlaceIsRefused) {
    const OwnFolder own;
    std::ofstream(own.path() / "file") << "text";
    EXPECT_FALSE(SaveFolder(disk(), own.path() / "file").prepare());
    EXPECT_FALSE(SaveFolder(disk(), own.path() / "file" / "below").prepare());
}

TEST(SaveFolder, NamesThatAreNoEpochsAreNone) {
    for (const std::string name : {"epoch-", "epoch-0", "epoch-01", "epoch-1x", "epoch--1", "Epoch-1",
                                   ".epoch-1.unfinished", "epoch-99999999999999999999"})
        EXPECT_EQ(epoch_in(name), 0u) << name;
    EXPECT_EQ(epoch_in("epoch-10"), 10u);
}

TEST(SaveFolder, AnEpochThatIsWithdrawnIsGone) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    for (const std::uint64_t epoch : {4, 5}) ASSERT_TRUE(save(folder, epoch, usual_arrays(), 1));
    folder.withdraw(5);
    folder.withdraw(7);
    EXPECT_EQ(choose_epoch(disk(), own.path())->epoch, 4u);
    EXPECT_FALSE(disk().exists(folder.unfinished(5)));
}

TEST(SaveFolder, AnEpochHasAnArrayOfTheOneBeforeInTheSameFiles) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    const std::vector<ArrayForm> arrays{{"x", "uint8", 10, 1}, {"y", "uint8", 10, 1}};
    EpochWriter first(folder, 1, arrays);
    ASSERT_TRUE(first.begin());
    for (std::size_t i = 0; i < arrays.size(); ++i) ASSERT_TRUE(first.write(i, {0, 10}, bytes_of(arrays[i], 2).data()));
    ASSERT_TRUE(first.finish() && first.complete(first.pieces(), R"({"epoch":1})"));
    EpochWriter next(folder, 2, arrays);
    ASSERT_TRUE(next.begin() && next.link(0, 1));
    EXPECT_FALSE(next.link(1, 9)) << "there is no such epoch";
    next.adopt({first.pieces().front()});
    ASSERT_TRUE(next.write(1, {0, 10}, bytes_of(arrays[1], 2).data()));
    ASSERT_TRUE(next.finish() && next.complete(next.pieces(), R"({"epoch":2})"));
    EXPECT_EQ(std::filesystem::hard_link_count(folder.folder_of(2) / arrays[0].chunk_file(0)), 2u);
    EXPECT_TRUE(read_back(folder, 2, arrays, 3).value_or(false));
}

TEST(SaveFolder, AnEpochIsChosenByItsFolderOrTheNewestIs) {
    const OwnFolder own;
    SaveFolder folder(disk(), own.path());
    ASSERT_TRUE(folder.prepare());
    EXPECT_EQ(choose_epoch(disk(), own.path()).error().code, NEREUS_ERR_SETTING) << "there is none yet";
    for (const std::uint64_t epoch : {4, 5}) ASSERT_TRUE(save(folder, epoch, usual_arrays(), 1));
    EXPECT_EQ(choose_epoch(disk(), own.path())->epoch, 5u);
    EXPECT_EQ(choose_epoch(disk(), own.path() / "")->epoch, 5u);
    EXPECT_EQ(choose_epoch(disk(), own.path() / "epoch-4")->epoch, 4u);
    EXPECT_FALSE(choose_epoch(disk(), own.path() / "epoch-3"));
    EXPECT_FALSE(choose_epoch(disk(), own.path() / "elsewhere"));
    EXPECT_FALSE(choose_epoch(disk(), ""));
}

}
}
