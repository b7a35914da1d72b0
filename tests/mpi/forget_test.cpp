// SPDX-License-Identifier: BSD-3-Clause
// What is taken out of a job does not travel any more, its name is free, and what stays is resized as before.
//
// forget_test CASE
#include "numbers.hpp"

#include <string>

using namespace testing_mpi;

namespace {

void names(nereus_job *job) {
    Numbers numbers{"numbers"};
    nereus_matrix matrix{};
    std::int64_t value = 7, *own = &value;
    numbers.enter(job);
    expect(nereus_value(job, "value", MPI_INT64_T, 1, &value) == NEREUS_OK, nereus_message(job));
    expect(nereus_matrix_csr(job, "matrix", MPI_DOUBLE, 4, 3, nullptr, NEREUS_VARIABLE, &matrix) == NEREUS_OK,
           nereus_message(job));
    expect(nereus_forget(nullptr, "numbers") == NEREUS_ERR_ARGUMENT, "a job is needed");
    expect(nereus_forget(job, nullptr) == NEREUS_ERR_ARGUMENT, "a name is needed");
    expect(nereus_forget(job, "nobody") == NEREUS_ERR_NAME, "unknown names");
    for (const char *name : {"numbers", "value", "matrix"})
        expect(nereus_forget(job, name) == NEREUS_OK && nereus_forget(job, name) == NEREUS_ERR_NAME, name);
    expect(numbers.part == nullptr && matrix.starts == nullptr && matrix.values == nullptr && value == 7,
           "the library's memory is gone, the application's is not");
    expect(nereus_value(job, "matrix", MPI_INT64_T, 1, own) == NEREUS_OK, "the name is free");
}

/// A newcomer's numbers come with the resize.
void come(nereus_job *job, Numbers &numbers) {
    expect(nereus_array(job, numbers.name, MPI_INT64_T, 300'007, NEREUS_BLOCK, NEREUS_CONSTANT,
                        reinterpret_cast<void **>(&numbers.part)) == NEREUS_OK,
           nereus_message(job));
}

void resizes(nereus_job *job) {
    static Numbers first{"first"}, goes{"goes"}, last{"last"}; // nereus_close() writes to their pointers
    if (nereus_generation(job) == 0) {
        first.enter(job);
        goes.enter(job);
        last.enter(job);
        expect(nereus_forget(job, "goes") == NEREUS_OK, nereus_message(job));
    } else {
        come(job, first);
        come(job, last);
    }
    first.check(job);
    last.check(job);
    for (const int size : {4, 2}) {
        if (size_of(nereus_comm(job)) == size || nereus_generation(job) > (size == 4 ? 0 : 1)) continue;
        if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, size, nullptr, nullptr) >= 0, "a resize");
        int code = NEREUS_GO_ON;
        while (code == NEREUS_GO_ON) code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return;
        expect(code == NEREUS_RESIZED, nereus_message(job));
        first.check(job);
        last.check(job);
    }
}

/// Newcomers have been told of an array that goes.
void sending(nereus_job *job) {
    static Numbers stays{"stays"}, goes{"goes"};
    stays.enter(job);
    goes.enter(job);
    nereus_resize_report report{};
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 3, nullptr, nullptr) >= 0, "a resize");
    // It begins within two checkpoints; a commit comes two checkpoints after all is sent.
    for (int i = 0; i < 2; ++i) expect(nereus_checkpoint(job) == NEREUS_GO_ON, "data is being sent");
    expect(nereus_forget(job, "goes") == NEREUS_OK, nereus_message(job));
    nereus_last_resize(job, &report);
    expect(report.code == NEREUS_ERR_STATE && std::string(report.reason).find("goes") != std::string::npos,
           "the resize is rolled back and says why");
    stays.check(job);
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    nereus_job *job = nullptr;
    const int opened = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    expect(opened == NEREUS_OK || opened == NEREUS_LEAVE, "the job opens");
    const std::string name = argv[1];
    if (opened == NEREUS_OK) (name == "names" ? names : name == "resizes" ? resizes : sending)(job);
    expect(nereus_close(&job) == NEREUS_OK, "the job closes");
    MPI_Finalize();
    return 0;
}
