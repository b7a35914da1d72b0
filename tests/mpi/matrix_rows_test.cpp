// SPDX-License-Identifier: BSD-3-Clause
// A user would compute with wrong elements if rows, columns and values of a matrix did not arrive together.
//
// matrix_rows_test [broken] SIZE...
//   `broken` first asks for a resize with starts that cannot be: it is rolled back, and the data is as it was
#include "expect.hpp"

#include <nereus/nereus.h>

#include <cctype>
#include <list>
#include <string>
#include <vector>

using namespace testing_mpi;

namespace {

constexpr std::int64_t rows = 103;

/// Rows without nonzeros are among them, and a stretch of them.
std::int64_t nonzeros_of(std::int64_t row) { return row > 40 && row < 60 ? 0 : row * 7 % 5; }

std::int64_t nonzeros_before(std::int64_t row) {
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < row; ++i) sum += nonzeros_of(i);
    return sum;
}

std::int64_t column_of(std::int64_t row, std::int64_t k) { return (row * 31 + k * 17) % rows; }

/// A value takes 3 bytes, so that nothing is at a usual place.
struct Letters {
    unsigned char of[3];
    bool operator==(const Letters &) const = default;
};
Letters letters_of(std::int64_t row, std::int64_t k, std::int64_t step) {
    const auto byte = [](std::int64_t number) { return static_cast<unsigned char>(number % 256); };
    return {{byte(row), byte(row + k), byte(row * 3 + k + step)}};
}

struct Matrix {
    nereus_matrix m{};
    std::int64_t wanted_first = 0, wanted_rows = 0;

    Letters *letters() const { return static_cast<Letters *>(m.values); }

    template <class Act> void for_each_nonzero(Act act) const {
        for (std::int64_t i = 0; i < m.rows; ++i)
            for (std::int64_t k = m.starts[i]; k < m.starts[i + 1]; ++k)
                act(m.first_row + i, k - m.starts[i], k - m.first_nonzero);
    }

    void fill() {
        for (std::int64_t i = 0; i <= m.rows; ++i) {
            // The first and the last one may be a neighbour's too, who has written already.
            expect(i == 0 || i == m.rows || m.starts[i] == 0, "a founder's starts are zeroed");
            m.starts[i] = nonzeros_before(m.first_row + i);
        }
        for_each_nonzero([&](std::int64_t row, std::int64_t k, std::int64_t place) {
            expect(m.columns[place] == 0 && letters()[place] == Letters{}, "a founder's memory is zeroed");
            m.columns[place] = column_of(row, k);
            letters()[place] = letters_of(row, k, 0);
        });
    }

    void check(nereus_job *job, const char *name, std::int64_t step) const {
        const std::string own = name;
        expect(m.first_row == nereus_first(job, name) && m.rows + 1 == nereus_count(job, name), "the rows are told");
        expect(m.nonzeros == nereus_count(job, (own + "/columns").c_str()) &&
                   m.first_nonzero == nereus_first(job, (own + "/values").c_str()),
               "the nonzeros are told");
        for (std::int64_t i = 0; i <= m.rows; ++i)
            expect(m.starts[i] == nonzeros_before(m.first_row + i), "row starts are right");
        expect(m.starts[0] == m.first_nonzero && m.starts[m.rows] == m.first_nonzero + m.nonzeros,
               "starts fit the nonzeros");
        for_each_nonzero([&](std::int64_t row, std::int64_t k, std::int64_t place) {
            expect(m.columns[place] == column_of(row, k), "columns are those of their rows");
            expect(letters()[place] == letters_of(row, k, step), "values are those of their rows");
        });
        std::int64_t all = 0;
        MPI_Allreduce(&m.rows, &all, 1, MPI_INT64_T, MPI_SUM, nereus_comm(job));
        expect(all == rows, "every row is on exactly one process");
    }
};

/// One of each kind and cut, and one that has nothing.
class Data {
public:
    Data() {
        MPI_Type_contiguous(3, MPI_CHAR, &type_);
        MPI_Type_commit(&type_);
    }
    Data(const Data &) = delete;
    Data &operator=(const Data &) = delete;
    ~Data() { MPI_Type_free(&type_); }

    void enter(nereus_job *job, bool founder) {
        const int32_t weights[] = {3, 1, 4};
        weighted_ = {NEREUS_WEIGHTED, weights, 3, 1, 0, 0, 1, 1, 0, 0};
        enter_one(job, founder, "fixed", &weighted_, NEREUS_CONSTANT, fixed);
        enter_one(job, founder, "changing", nullptr, NEREUS_VARIABLE, changing);
        expect(nereus_matrix_csr(job, "none", MPI_DOUBLE, 2, 0, nullptr, NEREUS_CONSTANT, &none) == NEREUS_OK,
               nereus_message(job));
        expect(nereus_value(job, "step", MPI_INT64_T, 1, &step) == NEREUS_OK, nereus_message(job));
    }

    void advance() {
        ++step;
        changing.for_each_nonzero([&](std::int64_t row, std::int64_t k, std::int64_t place) {
            changing.letters()[place] = letters_of(row, k, step);
        });
    }

    void check(nereus_job *job) const {
        fixed.check(job, "fixed", 0);
        changing.check(job, "changing", step);
        expect(none.nonzeros == 0 && none.columns == nullptr && none.values == nullptr && none.starts[none.rows] == 0,
               "a matrix without nonzeros stays so");
    }

    Matrix fixed, changing;
    nereus_matrix none{};
    std::int64_t step = 0;

private:
    /// Where a process' rows begin shows an array that is cut alike.
    void enter_one(nereus_job *job, bool founder, const char *name, const nereus_distribution *cut, nereus_kind kind,
                   Matrix &matrix) {
        const std::string vector = std::string(name) + " vector";
        const nereus_distribution blocks{NEREUS_BLOCK, nullptr, 0, 1, 0, 0, 1, 1, 0, 0};
        void *&x = vectors_.emplace_back(nullptr);
        expect(nereus_array_distributed(job, vector.c_str(), MPI_CHAR, rows, cut != nullptr ? cut : &blocks,
                                        NEREUS_VARIABLE, &x, nullptr) == NEREUS_OK,
               nereus_message(job));
        const std::int64_t first = nereus_first(job, vector.c_str()), end = first + nereus_count(job, vector.c_str());
        const std::int64_t mine = founder ? nonzeros_before(end) - nonzeros_before(first) : 0;
        expect(nereus_matrix_csr(job, name, type_, rows, mine, cut, kind, &matrix.m) == NEREUS_OK, nereus_message(job));
        expect(matrix.m.first_row == first && matrix.m.rows == end - first, "rows are cut as a vector is");
        if (founder) matrix.fill();
    }

    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    nereus_distribution weighted_{};
    std::list<void *> vectors_; ///< the library writes to them
};

void ask(nereus_job *job, int size) {
    if (rank_in(nereus_comm(job)) == 0)
        expect(nereus_resize(job, size, nullptr, nullptr) == NEREUS_OK, nereus_message(job));
}

/// Until a resize was rolled back, which must say why and change nothing.
void expect_undone(nereus_job *job, const std::string &which, const std::string &why) {
    ask(job, size_of(nereus_comm(job)) + 1);
    nereus_resize_report before{}, report{};
    nereus_last_resize(job, &before);
    for (report = before; report.request == before.request; nereus_last_resize(job, &report))
        expect(nereus_checkpoint(job) == NEREUS_GO_ON, "nothing changes");
    const std::string reason = report.reason;
    expect(report.code == NEREUS_ERR_MISMATCH, "starts that cannot be are a mismatch");
    expect(reason.starts_with(which) && reason.find(why) != std::string::npos, report.reason);
}

/// Starts that fall within a part, that do not fit the rows before, or the end.
void try_broken(nereus_job *job, Data &data) {
    const bool last = rank_in(nereus_comm(job)) + 1 == size_of(nereus_comm(job));
    std::int64_t *starts = data.fixed.m.starts;
    const std::int64_t n = data.fixed.m.rows;
    const std::vector<std::pair<std::int64_t, std::string>> places{
        {n / 2, "the row before starts at"}, {0, ""}, {n, "were registered"}};
    for (const auto &[place, why] : places) {
        std::int64_t row = data.fixed.m.first_row + place, right = starts[place];
        if (last) starts[place] = place == n / 2 ? 0 : right + 1;
        MPI_Bcast(&row, 1, MPI_INT64_T, size_of(nereus_comm(job)) - 1, nereus_comm(job));
        expect_undone(job, "matrix \"fixed\": row " + std::to_string(row) + " starts at", why);
        if (last) starts[place] = right;
        MPI_Barrier(nereus_comm(job)); // the neighbour's last start may be the same memory
        data.check(job);
    }
}

/// @return whether this process stays to the end
bool iterate(nereus_job *job, Data &data, const std::vector<int> &sizes) {
    std::int64_t asked = -1;
    while (nereus_generation(job) < std::ssize(sizes)) {
        const std::int64_t generation = nereus_generation(job);
        if (asked != generation) ask(job, sizes[static_cast<std::size_t>(generation)]);
        asked = generation;
        data.advance();
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return false;
        expect(code >= 0, nereus_message(job));
        if (code != NEREUS_RESIZED) continue;
        nereus_resize_report report;
        nereus_last_resize(job, &report);
        expect(report.verified == 1, "checksums were compared");
        expect(report.constant_bytes + report.variable_bytes >= report.bytes_minimum, "no less moved than must");
        data.check(job);
    }
    return true;
}

/// @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    nereus_job *job = nullptr;
    const int opened = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    const bool broken = std::string(argv[1]) == "broken";
    expect(opened == NEREUS_OK || (broken && opened == NEREUS_LEAVE), "the job opens, or needs nobody");
    if (opened == NEREUS_OK) {
        Data data;
        std::vector<int> sizes;
        for (int i = 1; i < argc; ++i)
            if (std::isdigit(argv[i][0]) != 0) sizes.push_back(std::atoi(argv[i]));
        const bool founder = nereus_generation(job) == 0;
        data.enter(job, founder);
        data.check(job);
        if (broken && founder) try_broken(job, data);
        if (iterate(job, data, sizes)) data.check(job);
        return nereus_close(&job);
    }
    return nereus_close(&job);
}

}

int main(int argc, char **argv) {
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    int code = NEREUS_WOKEN;
    while (code == NEREUS_WOKEN) code = take_part(argc, argv);
    expect(code == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
