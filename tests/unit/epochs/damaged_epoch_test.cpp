// SPDX-License-Identifier: BSD-3-Clause
// Whatever befalls the files of an epoch, reading it is an error or gives the bytes that were saved.
#include "epoch_case.hpp"

#include <fstream>
#include <iterator>
#include <rapidcheck/gtest.h>

namespace nereus::epochs {
namespace {

std::vector<Path> files_below(const Path &folder) {
    std::vector<Path> files;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
}

std::string content_of(const Path &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const Path &path, const std::string &content) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
}

class DamagedEpoch : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_TRUE(folder_.prepare());
        ASSERT_TRUE(save(folder_, 1, usual_arrays(), 2));
    }
    OwnFolder own_;
    SaveFolder folder_{disk(), own_.path()};
};

TEST_F(DamagedEpoch, AChunkThatIsMissingCutOrLongerIsNamed) {
    const Path chunk = folder_.folder_of(1) / usual_arrays()[0].chunk_file(0);
    const std::string good = content_of(chunk);
    for (const std::string &content : {good.substr(1), good + "x", std::string()}) {
        write(chunk, content);
        const auto read = read_back(folder_, 1, usual_arrays(), 1);
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code, NEREUS_ERR_MISMATCH);
        EXPECT_NE(read.error().what.find(chunk.string()), std::string::npos);
    }
    std::filesystem::remove(chunk);
    EXPECT_EQ(read_back(folder_, 1, usual_arrays(), 1).error().code, NEREUS_ERR_MISMATCH);
}

TEST_F(DamagedEpoch, AChangedByteOfAChunkIsFoundWhereverItIs) {
    for (const Path &file : files_below(folder_.folder_of(1))) {
        if (file.filename() == "zarr.json") continue;
        const std::string good = content_of(file);
        for (std::size_t at = 0; at < good.size(); at += 1 + good.size() / 50) {
            std::string bad = good;
            bad[at] = static_cast<char>(bad[at] ^ 4);
            write(file, bad);
            const auto read = read_back(folder_, 1, usual_arrays(), 2);
            ASSERT_FALSE(read) << file << " byte " << at;
            EXPECT_EQ(read.error().code, NEREUS_ERR_MISMATCH);
        }
        write(file, good);
    }
    EXPECT_TRUE(read_back(folder_, 1, usual_arrays(), 2).value_or(false));
}

RC_GTEST_FIXTURE_PROP(DamagedEpoch, MetadataThatWasChangedIsRefusedOrStillTheSame, ()) {
    if (!std::filesystem::exists(folder_.folder_of(1))) SetUp();
    for (const Path &file : files_below(folder_.folder_of(1))) {
        if (file.filename() != "zarr.json") continue;
        const std::string good = content_of(file);
        std::string bad = good;
        for (int i = *rc::gen::inRange(1, 4); i > 0; --i)
            bad[*rc::gen::inRange<std::size_t>(0, bad.size())] = *rc::gen::arbitrary<char>();
        write(file, bad);
        const auto read = read_back(folder_, 1, usual_arrays(), 1);
        RC_ASSERT(!read.has_value() || *read);
        const auto document = document_of(folder_, 1);
        RC_ASSERT(document.has_value() || document.error().code == NEREUS_ERR_MISMATCH);
        write(file, good);
    }
}

TEST_F(DamagedEpoch, AFolderOrAPipeInThePlaceOfAFileIsNotWaitedFor) {
    const Path chunk = folder_.folder_of(1) / usual_arrays()[0].chunk_file(0);
    std::filesystem::remove(chunk);
    std::filesystem::create_directory(chunk);
    EXPECT_FALSE(read_back(folder_, 1, usual_arrays(), 1));
    std::filesystem::remove(chunk);
    ASSERT_EQ(mkfifo(chunk.c_str(), 0600), 0);
    EXPECT_FALSE(read_back(folder_, 1, usual_arrays(), 1));
}

}
}
