// SPDX-License-Identifier: BSD-3-Clause
// A job that saves an epoch and stops, and founders of any number that continue from it.
//
//     save_and_resume_test first            begins anew, in an empty folder of the setting `save`
//     save_and_resume_test next [RANKS]     continues, is resized to RANKS where that is given, saves and stops
//     save_and_resume_test first|next on=HOSTS [lost=HOSTS]
//                                           keeps an epoch in memory of hosts, and ends (pretended_hosts.hpp)
//     save_and_resume_test CASE             continues with something else than the epoch has
#include "job_matrix_case.hpp"
#include "known_array.hpp"
#include "pretended_hosts.hpp"
#include "sample_data.hpp"

#include <nereus/save.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

using namespace testing_mpi;

namespace {

/// A sparse matrix whose values tell their rows: row i has i mod 4 nonzeros, and grows by the iteration.
class Matrix {
public:
    static constexpr std::int64_t rows = 101;

    void enter(nereus_job *job) {
        const bool founder = nereus_generation(job) == 0;
        nereus_distribution weighted{};
        weighted.layout = NEREUS_WEIGHTED;
        static const std::int32_t weights[] = {1, 3};
        weighted.weights = weights;
        weighted.weight_count = 2;
        expect(nereus_matrix_csr(job, "A", MPI_DOUBLE, rows, founder ? nonzeros(job) : 0, &weighted, NEREUS_VARIABLE,
                                 &matrix_) == NEREUS_OK,
               nereus_message(job));
        if (founder) fill(job);
    }

    void advance() {
        for (std::int64_t i = 0; i < matrix_.nonzeros; ++i) values()[i] += 1;
    }

    void check(std::int64_t iteration) const {
        for (std::int64_t i = 0; i < matrix_.rows; ++i) {
            const std::int64_t row = matrix_.first_row + i;
            expect(matrix_.starts[i + 1] - matrix_.starts[i] == row % 4, "a row is as long as it was");
            for (std::int64_t k = matrix_.starts[i]; k < matrix_.starts[i + 1]; ++k) {
                const std::int64_t place = k - matrix_.first_nonzero;
                expect(matrix_.columns[place] == k - matrix_.starts[i], "columns are right");
                expect(values()[place] == static_cast<double>(row + iteration), "values are right");
            }
        }
    }

private:
    double *values() const { return static_cast<double *>(matrix_.values); }

    /// Of the rows that this founder will have: they are cut by weight, which an array of the same cut shows.
    static std::int64_t nonzeros(nereus_job *job) {
        void *probe = nullptr;
        static const std::int32_t weights[] = {1, 3};
        nereus_distribution weighted{};
        weighted.layout = NEREUS_WEIGHTED;
        weighted.weights = weights;
        weighted.weight_count = 2;
        expect(nereus_array_distributed(job, "probe", MPI_CHAR, rows, &weighted, NEREUS_CONSTANT, &probe, nullptr) ==
                   NEREUS_OK,
               nereus_message(job));
        std::int64_t sum = 0;
        const std::int64_t first = nereus_first(job, "probe"), count = nereus_count(job, "probe");
        for (std::int64_t row = first; row < first + count; ++row) sum += row % 4;
        expect(nereus_forget(job, "probe") == NEREUS_OK, nereus_message(job));
        return sum;
    }

    void fill(nereus_job *) {
        std::int64_t next = matrix_.first_nonzero;
        for (std::int64_t i = 0; i < matrix_.rows; ++i) {
            matrix_.starts[i] = next;
            const std::int64_t row = matrix_.first_row + i;
            for (std::int64_t k = 0; k < row % 4; ++k, ++next) {
                matrix_.columns[next - matrix_.first_nonzero] = k;
                values()[next - matrix_.first_nonzero] = static_cast<double>(row);
            }
        }
        matrix_.starts[matrix_.rows] = next;
    }

    nereus_matrix matrix_{};
};

struct AllData {
    KnownData known{set_of_arrays(3)};
    SampleData sample;
    Matrix matrix;

    void enter(nereus_job *job) {
        known.enter(job);
        expect(sample.enter(job, nereus_generation(job) == 0) == NEREUS_OK, nereus_message(job));
        matrix.enter(job);
    }
    void advance(nereus_job *job) {
        known.advance(job);
        sample.advance(job);
        matrix.advance();
    }
    void check(nereus_job *job, const char *where) {
        known.check(job, where);
        sample.check(job);
        matrix.check(known.iteration());
        expect(sample.step == known.iteration(), "values are those of one iteration");
    }
};

/// A constant array, in whose place another one comes that may lie where it lay.
struct Mesh {
    std::int64_t *part = nullptr;

    void enter(nereus_job *job) {
        expect(nereus_array(job, "mesh", MPI_INT64_T, 1000, NEREUS_BLOCK, NEREUS_CONSTANT,
                            reinterpret_cast<void **>(&part)) == NEREUS_OK,
               nereus_message(job));
    }
    void become(nereus_job *job, std::int64_t number) {
        expect(nereus_forget(job, "mesh") == NEREUS_OK, nereus_message(job));
        enter(job);
        std::fill_n(part, nereus_count(job, "mesh"), number);
    }
    void check(nereus_job *job, std::int64_t number) const {
        expect(std::count(part, part + nereus_count(job, "mesh"), number) == nereus_count(job, "mesh"),
               "it is the mesh that came last");
    }
};

/// Epochs in memory, after the last of which nothing is computed any more.
void keep_on_hosts(nereus_job *job, AllData &data) {
    static Mesh mesh; // nereus_close() writes to its pointer
    const int before = newest_epoch_of_host();
    mesh.enter(job);
    if (nereus_generation(job) > 0) mesh.check(job, 2);
    for (int i = 0; i < 100; ++i) {
        if (i == 1) mesh.become(job, 1);
        if (i == 4) data.known.distribute_anew(job, static_cast<std::uint64_t>(data.known.iteration()));
        if (i == 6) mesh.become(job, 2);
        const bool asks = rank_in(nereus_comm(job)) == 0 && (i == 3 || i == 9 || i == 15);
        if (asks) expect(nereus_protect_now(job, nullptr) == NEREUS_OK, nereus_message(job));
        if (i < 16) data.advance(job);
        expect(nereus_checkpoint(job) == NEREUS_GO_ON, nereus_message(job));
    }
    const int made = nereus_generation(job) > 0 ? 4 : 3; // one that continues makes one at once
    expect(newest_epoch_of_host() == before + made, "epochs were made in memory");
    expect(linked_files_of_host(before + made) > 0, "constant arrays were not copied again");
}

/// Some iterations, then the epoch at which the job stops.
int iterate(nereus_job *job, AllData &data, int ranks) {
    for (int i = 0; i < 200; ++i) {
        const bool root = rank_in(nereus_comm(job)) == 0;
        if (root && i == 2 && ranks > 0 && size_of(nereus_comm(job)) != ranks)
            expect(nereus_resize(job, ranks, nullptr, nullptr) >= 0, nereus_message(job));
        const bool has_size = ranks == 0 || size_of(nereus_comm(job)) == ranks;
        if (root && has_size && i == 50) expect(nereus_save(job, 0, nullptr) == NEREUS_OK, nereus_message(job));
        if (root && has_size && i == 60) expect(nereus_save(job, 1, nullptr) == NEREUS_OK, nereus_message(job));
        data.advance(job);
        const std::int64_t iteration = data.known.iteration(); // newcomers begin to count `i` later
        if (iteration % 25 == 20) data.known.distribute_anew(job, static_cast<std::uint64_t>(iteration));
        const int code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_LEAVE) return code;
        if (code == NEREUS_RESIZED) data.check(job, "after the resize");
    }
    return NEREUS_GO_ON;
}

void run(int argc, char **argv, bool on_hosts) {
    const std::string mode = argv[1];
    const int ranks = argc > 2 ? std::max(std::atoi(argv[2]), 0) : 0; // other arguments are no numbers
    nereus_job *job = nullptr;
    int closed = NEREUS_OK;
    do {
        const int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
        if (code == NEREUS_LEAVE) continue;
        expect(code == NEREUS_OK, "the job opens");
        AllData data;
        expect(mode == "first" || nereus_generation(job) > 0, "the generation tells that there is data");
        data.enter(job);
        if (nereus_generation(job) > 0) {
            data.check(job, "at the beginning");
            expect(data.known.iteration() > 0, "the value was saved");
        }
        if (on_hosts) {
            keep_on_hosts(job, data);
        } else {
            const int left = iterate(job, data, ranks);
            expect(left == NEREUS_LEAVE, "the job stops once its epoch is saved");
            expect(nereus_comm(job) == MPI_COMM_NULL, "it cannot be used any more");
        }
        closed = nereus_close(&job);
        data.sample.free_own();
    } while (closed == NEREUS_WOKEN);
    expect(closed == NEREUS_OK, "it closes");
}

/// A program that registers something else: the library ends it.
void run_another(int argc, char **argv) {
    const std::string mode = argv[1];
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    AllData data;
    std::int64_t value = 0;
    if (mode == "other") nereus_value(job, "another", MPI_INT64_T, 1, &value);
    if (mode != "other" && mode != "nothing") data.enter(job);
    if (mode == "more") nereus_value(job, "another", MPI_INT64_T, 1, &value);
    nereus_checkpoint(job);
    expect(false, "the job ends before");
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const bool on_hosts = pretend_hosts(argc, argv);
    const std::string mode = argv[1];
    if (mode == "first" || mode == "next")
        run(argc, argv, on_hosts);
    else
        run_another(argc, argv);
    MPI_Finalize();
}
