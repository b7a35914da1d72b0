// SPDX-License-Identifier: BSD-3-Clause
// A user who has rows balanced would compute wrong results if a row came to the wrong place, or with another one's
// nonzeros; and would wait in vain if no row moved. Ranks take as long as they sleep.
//
// balance_test slow    rank 1 takes three times as long for a row, whichever it has; then other sizes
// balance_test dear    rows in the last quarter take four times as long
// balance_test none    no array of rows: the job says that nothing can be balanced, and goes on
#include "expect.hpp"

#include <nereus/matrix.h>
#include <nereus/stages.h>

#include <chrono>
#include <cmath>
#include <string>
#include <thread>

using namespace testing_mpi;

namespace {

constexpr std::int64_t rows = 240;
constexpr std::chrono::duration<double> of_a_row{60e-6};
constexpr std::int64_t iterations = 150;
constexpr std::int32_t equal_weight = 1;

enum class Story { slow, dear, none };

struct State {
    std::int64_t iterations = 0;
    std::int64_t moves = 0;
    std::int64_t largest = 0; ///< rows of a rank after the last move
    std::int64_t least = rows;
    std::int64_t ranks = 1; ///< then
};

std::int64_t nonzeros_of(std::int64_t row) { return row % 3 + 1; }
std::int64_t nonzeros_before(std::int64_t row) {
    std::int64_t sum = 0;
    for (std::int64_t before = 0; before < row; ++before) sum += nonzeros_of(before);
    return sum;
}

nereus_distribution by_equal_weights() {
    nereus_distribution distribution{};
    distribution.layout = NEREUS_WEIGHTED;
    distribution.weights = &equal_weight;
    distribution.weight_count = 1;
    return distribution;
}

class Player {
public:
    Player(nereus_job *job, Story story) : job_(job), story_(story) {
        expect(nereus_value(job_, "state", MPI_INT64_T, sizeof state_ / sizeof(std::int64_t), &state_) == NEREUS_OK,
               nereus_message(job_));
        if (story_ != Story::none) enter_rows();
        if (state_.moves > 0) enter_late();
    }

    /// @return whether this process left the job
    bool play() {
        check();
        while (state_.iterations < iterations * stages()) {
            compute();
            ++state_.iterations;
            ask();
            const int code = nereus_checkpoint(job_);
            if (code == NEREUS_LEAVE) return true;
            expect(code == NEREUS_GO_ON || code == NEREUS_RESIZED, nereus_message(job_));
            if (code == NEREUS_RESIZED) note_resize();
        }
        expect_end();
        return false;
    }

private:
    int rank() const { return rank_in(nereus_comm(job_)); }
    int size() const { return size_of(nereus_comm(job_)); }
    int stages() const { return story_ == Story::slow ? 3 : 1; }

    void enter_rows() {
        const nereus_distribution distribution = by_equal_weights();
        expect(nereus_array_distributed(job_, "rows", MPI_INT64_T, rows, &distribution, NEREUS_VARIABLE, &numbers_,
                                        nullptr) == NEREUS_OK,
               nereus_message(job_));
        const std::int64_t first = nereus_first(job_, "rows"), end = first + nereus_count(job_, "rows");
        const std::int64_t before = nonzeros_before(first), count = nonzeros_before(end) - before;
        expect(nereus_matrix_csr(job_, "matrix", MPI_DOUBLE, rows, count, &distribution, NEREUS_CONSTANT, &matrix_) ==
                   NEREUS_OK,
               nereus_message(job_));
        if (nereus_generation(job_) > 0) return;
        for (std::int64_t row = first; row < end; ++row) static_cast<std::int64_t *>(numbers_)[row - first] = row;
        for (std::int64_t row = first; row <= end; ++row) matrix_.starts[row - first] = nonzeros_before(row);
        for (std::int64_t row = first; row < end; ++row)
            for (std::int64_t k = 0; k < nonzeros_of(row); ++k) {
                const std::int64_t at = nonzeros_before(row) + k - before;
                matrix_.columns[at] = row;
                static_cast<double *>(matrix_.values)[at] = static_cast<double>(10 * row + k);
            }
    }

    /// An array that is registered after rows have moved lies as they do.
    void enter_late() {
        const nereus_distribution distribution = by_equal_weights();
        expect(nereus_array_distributed(job_, "late", MPI_INT64_T, rows, &distribution, NEREUS_VARIABLE, &late_,
                                        nullptr) == NEREUS_OK,
               nereus_message(job_));
        expect(nereus_count(job_, "late") == nereus_count(job_, "rows") &&
                   nereus_first(job_, "late") == nereus_first(job_, "rows"),
               "rows of a later array are where those of the others are");
        has_late_ = true;
    }

    void compute() {
        expect(nereus_stage_begin(job_, "rows", NEREUS_STAGE_COMPUTE, 0) == NEREUS_OK, nereus_message(job_));
        std::this_thread::sleep_for(of_a_row * cost());
        expect(nereus_stage_end(job_) == NEREUS_OK, nereus_message(job_));
        MPI_Barrier(nereus_comm(job_));
    }

    /// In rows.
    double cost() const {
        if (story_ == Story::none) return 20;
        const std::int64_t first = nereus_first(job_, "rows"), end = first + nereus_count(job_, "rows");
        const auto count = static_cast<double>(end - first);
        if (story_ == Story::slow) return rank() == 1 ? 3 * count : count;
        const std::int64_t dear = std::max<std::int64_t>(0, end - std::max(first, rows * 3 / 4));
        return story_ == Story::dear ? count + 3 * static_cast<double>(dear) : count;
    }

    void ask() const {
        if (rank() != 0 || state_.iterations % iterations != 0 || state_.iterations == iterations * stages()) return;
        const int wanted = state_.iterations == iterations ? size() + 1 : size() - 1;
        expect(nereus_resize(job_, wanted, nullptr, nullptr) == NEREUS_OK, nereus_message(job_));
    }

    void note_resize() {
        nereus_resize_report report;
        expect(nereus_last_resize(job_, &report) == NEREUS_OK && report.code == NEREUS_RESIZED, "there is a report");
        check();
        if (report.from != report.to) return;
        expect(report.request > 0, "a move has a number");
        const bool says_it = std::string(nereus_message(job_)).find("rows were balanced: ranks compute for at most ") !=
                             std::string::npos;
        expect(rank() != 0 || says_it, nereus_message(job_));
        if (rank() == 0)
            std::printf("iteration %ld: %s\n", long(state_.iterations), nereus_message(job_)), std::fflush(stdout);
        if (++state_.moves == 1) enter_late();
        state_.ranks = size();
        const std::int64_t count = nereus_count(job_, "rows");
        MPI_Allreduce(&count, &state_.largest, 1, MPI_INT64_T, MPI_MAX, nereus_comm(job_));
        MPI_Allreduce(&count, &state_.least, 1, MPI_INT64_T, MPI_MIN, nereus_comm(job_));
    }

    void check() const {
        if (story_ == Story::none) return;
        const std::int64_t first = nereus_first(job_, "rows"), count = nereus_count(job_, "rows");
        expect(matrix_.rows == count && matrix_.first_row == first, "rows of the matrix are where the array's are");
        expect(matrix_.first_nonzero == nonzeros_before(first), "the first nonzero is that of the first row");
        std::int64_t sum = count;
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT64_T, MPI_SUM, nereus_comm(job_));
        expect(sum == rows, "each row is somewhere");
        for (std::int64_t i = 0; i < count; ++i) check_row(first + i, i);
        if (has_late_) expect(nereus_count(job_, "late") == count, "the later array went along");
    }

    void check_row(std::int64_t row, std::int64_t place) const {
        expect(static_cast<const std::int64_t *>(numbers_)[place] == row, "the array has the numbers of these rows");
        expect(matrix_.starts[place] == nonzeros_before(row) && matrix_.starts[place + 1] == nonzeros_before(row + 1),
               "rows start where they did");
        for (std::int64_t k = 0; k < nonzeros_of(row); ++k) {
            const std::int64_t at = nonzeros_before(row) + k - matrix_.first_nonzero;
            expect(matrix_.columns[at] == row, "a column is that of its row");
            expect(std::abs(static_cast<const double *>(matrix_.values)[at] - static_cast<double>(10 * row + k)) < 1e-9,
                   "a value is that of its row");
        }
    }

    void expect_end() const {
        if (story_ == Story::none) {
            expect(state_.moves == 0, "nothing moved");
            return;
        }
        expect(state_.moves > 0, "rows have moved");
        expect(state_.largest > rows / state_.ranks, "ranks have different numbers of rows");
        expect(state_.least > 0 && state_.least < rows / state_.ranks, "the slow ones have fewer");
    }

    nereus_job *job_;
    Story story_;
    State state_;
    void *numbers_ = nullptr, *late_ = nullptr;
    bool has_late_ = false;
    nereus_matrix matrix_{};
};

Story story_of(int argc, char **argv) {
    const std::string word = argc > 1 ? argv[1] : "";
    if (word == "slow") return Story::slow;
    if (word == "dear") return Story::dear;
    expect(word == "none", "the argument is slow, dear or none");
    return Story::none;
}

/// @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    nereus_job *job = nullptr;
    const int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    expect(code == NEREUS_OK || code == NEREUS_LEAVE, "the job opens");
    if (code == NEREUS_LEAVE) return nereus_close(&job);
    Player player(job, story_of(argc, argv)); // the library writes to it until the job is closed
    player.play();
    return nereus_close(&job);
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    while (take_part(argc, argv) == NEREUS_WOKEN) {
    }
    MPI_Finalize();
    return 0;
}
