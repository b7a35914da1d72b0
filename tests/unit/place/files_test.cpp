// SPDX-License-Identifier: BSD-3-Clause
#include "tools/place/matrix_file.hpp"
#include "tools/place/question.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace nereus::place {
namespace {

using plan::mapping::nowhere;
using plan::mapping::Traffic;

/// A file that goes with the test.
class File {
public:
    explicit File(const std::string &content)
        : path_(std::filesystem::temp_directory_path() / ("nereus-place-test-" + std::to_string(getpid()))) {
        std::ofstream(path_, std::ios::binary) << content;
    }
    ~File() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

private:
    std::filesystem::path path_;
};

template <class T> void append(std::string &content, const std::vector<T> &numbers) {
    content.append(reinterpret_cast<const char *>(numbers.data()), numbers.size() * sizeof(T));
}

struct Matrix {
    std::vector<std::int64_t> sizes{1, 2, 2, 2}, starts{0, 1, 2}, columns{1, 0};
    std::vector<double> values{5, 7};

    Result<Traffic> read() const {
        std::string content = "NEREUS-M";
        append(content, sizes);
        append(content, starts);
        append(content, columns);
        append(content, values);
        return read_traffic(File(content).path());
    }

    /// What is said behind the name of the file.
    std::string sentence() const {
        const auto traffic = read();
        if (traffic) return "accepted";
        return traffic.error().what.substr(traffic.error().what.find(": ") + 2);
    }
};

TEST(MatrixFile, BothDirectionsAreSummed) { EXPECT_EQ(Matrix{}.read()->bytes_of(0), 12); }

TEST(MatrixFile, WhatNoMatrixOfTrafficCanBeIsNamed) {
    Matrix matrix;
    matrix.values[1] = -7;
    EXPECT_EQ(matrix.sentence(), "row 1, column 0: numbers of bytes from 0 are allowed");
    matrix.values[1] = std::nan("");
    EXPECT_EQ(matrix.sentence(), "row 1, column 0: numbers of bytes from 0 are allowed");
    matrix.values[1] = std::numeric_limits<double>::infinity();
    EXPECT_EQ(matrix.sentence(), "row 1, column 0: numbers of bytes from 0 are allowed");
    matrix = Matrix{};
    matrix.columns[0] = 2;
    EXPECT_EQ(matrix.sentence(), "row 0, column 2: columns 0 .. 1 are allowed");
    matrix = Matrix{};
    matrix.sizes[2] = 3;
    EXPECT_EQ(matrix.sentence(), "2 rows and 3 columns: as many of both, 1 .. 16777216, are allowed");
    matrix = Matrix{};
    matrix.starts[1] = 3;
    EXPECT_EQ(matrix.sentence(), "starts of rows must not fall, from 0 to the number of nonzeros");
    matrix = Matrix{};
    matrix.values.pop_back();
    EXPECT_EQ(matrix.sentence(), "has 88 bytes, but its header states 96");
    matrix.sizes[0] = 2;
    EXPECT_EQ(matrix.sentence(), "is no matrix of version 1");
    EXPECT_FALSE(read_traffic("/nowhere/at/all"));
    EXPECT_FALSE(read_traffic(File("NEREUS").path()));
}

nlohmann::json good_question() {
    return {{"children", {{2}, {2, 3}}}, {"costs", {1, 1}}, {"in_use", {4}},     {"fixed", {{1, 3}}}, {"shared_by", 1},
            {"host_level", 1},           {"seed", 1},       {"current", nullptr}};
}

std::string sentence_for(const nlohmann::json &question, int ranks = 3) {
    const auto read = read_question(File(question.dump()).path(), Traffic(ranks, {}));
    return read ? "accepted" : read.error().what;
}

TEST(QuestionFile, SlotsInUseAndFixedRanksAreKept) {
    const auto question = read_question(File(good_question().dump()).path(), Traffic(3, {}));
    ASSERT_TRUE(question) << question.error().what;
    EXPECT_EQ(question->problem.in_use, (std::vector{false, false, false, false, true}));
    EXPECT_EQ(question->problem.fixed, (std::vector{nowhere, 3, nowhere}));
}

TEST(QuestionFile, OversubscribedSlotsTakeSeveralRanks) {
    auto question = good_question();
    question["shared_by"] = 2;
    question["in_use"] = nlohmann::json::array();
    EXPECT_EQ(sentence_for(question, 10), "accepted");
    EXPECT_EQ(sentence_for(question, 11), "11 ranks are to be placed, but 10 of the 10 slots are free");
}

TEST(QuestionFile, WhatCannotBeAskedIsNamed) {
    EXPECT_EQ(sentence_for(good_question(), 5), "5 ranks are to be placed, but 4 of the 5 slots are free");
    auto question = good_question();
    question["in_use"] = {5};
    EXPECT_EQ(sentence_for(question), "slot 5 in use: slots 0 .. 4 are there");
    question = good_question();
    question["fixed"] = {{3, 1}};
    EXPECT_EQ(sentence_for(question), "fixed rank 3: ranks 0 .. 2 are there");
    question = good_question();
    question["current"] = {0, 3};
    EXPECT_EQ(sentence_for(question), "a mapping of 2 ranks: one of 3 is allowed");
    question = good_question();
    question["host_level"] = 3;
    EXPECT_EQ(sentence_for(question), "host_level or shared_by are not of this topology");
    question.erase("costs");
    EXPECT_NE(sentence_for(question).find("key 'costs' not found"), std::string::npos);
    EXPECT_NE(sentence_for("no object"), "accepted");
}

}
}
