// SPDX-License-Identifier: BSD-3-Clause
// Who measures an application gets each stage of each process in each generation, whoever is rank 0 by then.
//
// measured_test FILE SIZE...: resized to each size in turn; the founders' setting `results` names FILE
#include "expect.hpp"
#include "stays.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace testing_mpi;
using nlohmann::json;

namespace {

constexpr std::int64_t iterations_each = 5;

void stage(nereus_job *job, const char *name, nereus_stage_kind kind, std::int64_t bytes) {
    expect(nereus_stage_begin(job, name, kind, bytes) == NEREUS_OK, nereus_message(job));
    expect(nereus_stage_end(job) == NEREUS_OK, nereus_message(job));
}

void iterate(nereus_job *job) {
    stage(job, "product", NEREUS_STAGE_MEMORY, 0);
    for (int twice = 0; twice < 2; ++twice) stage(job, "sum", NEREUS_STAGE_ALLREDUCE, 8);
    if (rank_in(nereus_comm(job)) == 0) stage(job, "result", NEREUS_STAGE_WRITE, 1000);
}

/// Waits for lines that another process may be writing just now.
std::vector<json> lines_of(const std::string &path, std::size_t wanted) {
    std::vector<json> lines;
    for (int tries = 0; tries < 500 && lines.size() < wanted; ++tries) {
        if (tries > 0) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        lines.clear();
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
    }
    return lines;
}

/// Where rank 0 becomes another process, the one before it may write the last lines of its generation late.
void sort_by_generation(std::vector<json> &lines) {
    const auto key = [](const json &line) {
        return std::pair(line.at("generation").get<std::int64_t>(), line.at("event") != "committed");
    };
    std::stable_sort(lines.begin() + 1, lines.end(), [&](const json &a, const json &b) { return key(a) < key(b); });
}

void check_generation(const json &line, int ranks, std::int64_t number) {
    const auto size = static_cast<std::size_t>(ranks);
    expect(line.at("generation") == number && line.at("ranks") == ranks, "each generation has its line");
    expect(line.at("variable_bytes") == 8000, "the data is counted");
    expect(line.at("iterations") >= 3, "iterations are counted");
    expect(line.at("iteration_seconds").size() == size && line.at("checkpoint_seconds").size() == size,
           "each process has its times");
    const json &stages = line.at("stages");
    expect(stages.size() == 3, "each stage is there once");
    expect(stages[0].at("name") == "product" && stages[0].at("kind") == "memory", "in their order");
    expect(stages[1].at("bytes") == 8, "with their bytes");
    for (std::size_t rank = 0; rank < size; ++rank) {
        expect(stages[1].at("iterations")[rank] == line.at("iterations"), "twice in an iteration is one time");
        expect(stages[1].at("seconds")[rank] >= 0 && stages[1].at("total_seconds")[rank] >= 0, "with their seconds");
        expect(stages[2].at("seconds")[rank].is_null() == (rank > 0), "null where a process had no such stage");
    }
}

void check_file(const std::string &path, const std::vector<int> &sizes) {
    std::vector<json> lines = lines_of(path, 2 * sizes.size() + 1);
    sort_by_generation(lines);
    expect(lines.size() == 2 * sizes.size() + 1, "a header, two lines for each generation");
    expect(lines.front().at("format") == "nereus-measured" && lines.front().at("version") == 1, "the header is first");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        check_generation(lines[2 * i + 1], sizes[i], static_cast<std::int64_t>(i));
        const json &after = lines[2 * i + 2];
        const bool is_last = i + 1 == sizes.size();
        expect(after.at("event") == (is_last ? "finished" : "committed"), "what ended the generation is said");
        expect(is_last || (after.at("from") == sizes[i] && after.at("to") == sizes[i + 1]), "with both sizes");
    }
}

void check_misuse(nereus_job *job) {
    expect(nereus_stage_end(job) == NEREUS_ERR_STATE, "no stage is open");
    expect(nereus_stage_begin(job, "", NEREUS_STAGE_COMPUTE, 0) == NEREUS_ERR_ARGUMENT, "a stage has a name");
    expect(nereus_stage_begin(job, "product", NEREUS_STAGE_COMPUTE, -1) == NEREUS_ERR_ARGUMENT, "bytes are counted");
    expect(nereus_stage_begin(job, "product", NEREUS_STAGE_COMPUTE, 0) == NEREUS_ERR_ARGUMENT, "a stage has one kind");
    expect(nereus_stage_begin(job, "product", NEREUS_STAGE_MEMORY, 0) == NEREUS_OK, "a stage begins again");
    expect(nereus_stage_begin(job, "sum", NEREUS_STAGE_ALLREDUCE, 8) == NEREUS_ERR_STATE, "one at a time");
    expect(nereus_stage_end(job) == NEREUS_OK, "it ends");
}

/// Newcomers must measure although nobody told them, as on a host to which no environment comes.
void tell_founders(const char *file) {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    if (parent == MPI_COMM_NULL) setenv("NEREUS_RESULTS", file, 1);
}

int take_part(int argc, char **argv) {
    const std::vector<std::string> words(argv + 2, argv + argc);
    std::vector<int> sizes;
    for (const std::string &word : words)
        if (word[0] != '-') sizes.push_back(std::stoi(word));
    const auto last = iterations_each * static_cast<std::int64_t>(sizes.size());
    nereus_job *job = nullptr;
    tell_founders(argv[1]);
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) >= 0, "the job opens");
    double *data = nullptr;
    std::int64_t iteration = 0;
    nereus_array(job, "data", MPI_DOUBLE, 1000, NEREUS_BLOCK, NEREUS_VARIABLE, reinterpret_cast<void **>(&data));
    nereus_value(job, "iteration", MPI_INT64_T, 1, &iteration);
    int code = NEREUS_OK;
    std::int64_t in_generation = 0;
    while (iteration < last && code != NEREUS_LEAVE) {
        iterate(job);
        if (nereus_generation(job) == 0 && in_generation == 1) check_misuse(job);
        const auto next = static_cast<std::size_t>(nereus_generation(job)) + 1;
        if (++in_generation == 3 && next < sizes.size() && rank_in(nereus_comm(job)) == 0)
            expect(nereus_resize(job, sizes[next], nullptr, nullptr) == NEREUS_OK, nereus_message(job));
        ++iteration;
        code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_RESIZED) in_generation = 0;
    }
    const bool checks = code != NEREUS_LEAVE && rank_in(nereus_comm(job)) == 0;
    code = nereus_close(&job);
    if (checks) check_file(argv[1], sizes);
    return code;
}

}

int main(int argc, char **argv) { return stay_until_unwanted(argc, argv, take_part); }
