// SPDX-License-Identifier: BSD-3-Clause
// Registered arrays get other distributions: every byte of every element is where the job says afterwards, newcomers
// get what there is, and what is refused changes nothing.
//
//     distribution_change_test any SET [on=HOSTS]
//                                            arrays of a set of job_matrix_case.hpp, thirty times
//     distribution_change_test resized SET   the same before each of five resizes
//     distribution_change_test CASE
#include "job_matrix_case.hpp"
#include "known_array.hpp"
#include "numbers.hpp"
#include "pretended_hosts.hpp"
#include "stays.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <utility>

using namespace testing_mpi;

namespace {

/// The next message of this process cannot be sent.
bool fails_to_send = false;

nereus_distribution of_layout(enum nereus_layout layout) {
    nereus_distribution distribution{};
    distribution.layout = layout;
    distribution.block = 3;
    return distribution;
}

void any(nereus_job *job, KnownData &data, std::size_t set) {
    data.enter(job);
    for (std::uint64_t change = 0; change < 30; ++change) {
        data.distribute_anew(job, set * 1000 + change);
        data.check(job, "after change " + std::to_string(change));
        data.advance(job);
        expect(nereus_checkpoint(job) == NEREUS_GO_ON, nereus_message(job));
    }
}

/// What becomes of one resize, in which all data is right at any time.
int resize(nereus_job *job, KnownData &data, int ranks) {
    nereus_resize_report before, report;
    nereus_last_resize(job, &before);
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, ranks, nullptr, nullptr) >= 0, "a resize");
    while (true) {
        data.advance(job);
        const int code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_LEAVE) return code;
        data.check(job, "after a checkpoint");
        nereus_last_resize(job, &report);
        if (code == NEREUS_RESIZED || report.request != before.request) return report.code;
    }
}

/// All arrays get other distributions before each resize, and newcomers get what there is.
int resized(nereus_job *job, KnownData &data) {
    data.enter(job);
    data.check(job, "when it came");
    constexpr int sizes[] = {3, 1, 4, 2, 4};
    while (nereus_generation(job) < std::ssize(sizes)) {
        const std::int64_t generation = nereus_generation(job);
        data.distribute_anew(job, static_cast<std::uint64_t>(generation));
        const int code = resize(job, data, sizes[generation]);
        if (code == NEREUS_LEAVE) return code;
        expect(code == NEREUS_RESIZED, "the resize is done");
    }
    return NEREUS_OK;
}

/// Newcomers have been told of the distribution that it has.
void undoes(nereus_job *job) {
    static Numbers numbers{"numbers"};
    const nereus_distribution cyclic = of_layout(NEREUS_CYCLIC);
    nereus_resize_report report{};
    numbers.enter(job);
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 3, nullptr, nullptr) >= 0, "a resize");
    // It begins within two checkpoints; a commit comes two checkpoints after all is sent.
    for (int i = 0; i < 2; ++i) expect(nereus_checkpoint(job) == NEREUS_GO_ON, "data is being sent");
    expect(nereus_change_distribution(job, "numbers", &cyclic) == NEREUS_OK, "the distribution is changed");
    nereus_last_resize(job, &report);
    expect(report.code == NEREUS_ERR_STATE && std::strstr(report.reason, "another distribution") != nullptr,
           "the resize is rolled back and says why");
}

/// One wrong call on one process alone is one of all.
struct Wrong {
    const char *name;
    nereus_distribution distribution;
    int code;
    const char *says;
};

void refused(nereus_job *job) {
    static Numbers numbers{"numbers"}, others{"others"};
    static nereus_matrix matrix{};
    static std::int64_t value = 7;
    numbers.enter(job);
    others.enter(job);
    expect(nereus_value(job, "value", MPI_INT64_T, 1, &value) == NEREUS_OK, nereus_message(job));
    expect(nereus_matrix_csr(job, "matrix", MPI_DOUBLE, 4, 3, nullptr, NEREUS_VARIABLE, &matrix) == NEREUS_OK,
           nereus_message(job));
    nereus_distribution cyclic = of_layout(NEREUS_CYCLIC), no_block = cyclic, grid = of_layout(NEREUS_GRID);
    no_block.block = 0;
    grid.rows = grid.columns = grid.block_rows = grid.block_columns = 7;
    nereus_distribution two_rows = grid, one_process = grid;
    two_rows.rows = one_process.rows = 1;
    two_rows.columns = one_process.columns = numbers.elements;
    two_rows.grid_rows = 2;
    one_process.grid_rows = one_process.grid_columns = 1;
    const Wrong wrong[] = {{"nobody", cyclic, NEREUS_ERR_NAME, "nobody"},
                           {"value", cyclic, NEREUS_ERR_NAME, "value"},
                           {"matrix", cyclic, NEREUS_ERR_UNSUPPORTED, "matrix"},
                           {"numbers", no_block, NEREUS_ERR_ARGUMENT, "block = 0"},
                           {"numbers", grid, NEREUS_ERR_ARGUMENT, "7 x 7"},
                           {"numbers", two_rows, NEREUS_ERR_ARGUMENT, "grid_rows, grid_columns = 2, 0"},
                           {"numbers", one_process, NEREUS_ERR_ARGUMENT, "grid_rows, grid_columns = 1, 1"},
                           {"numbers", of_layout(NEREUS_WEIGHTED), NEREUS_ERR_ARGUMENT, "weights"},
                           {"numbers", of_layout(static_cast<enum nereus_layout>(9)), NEREUS_ERR_ARGUMENT, "layout"},
                           {"others", cyclic, NEREUS_ERR_MISMATCH, "that becomes cyclic (3)"},
                           {"numbers", of_layout(NEREUS_REPLICATED), NEREUS_ERR_MISMATCH, "replicated"}};
    const int ranks = size_of(nereus_comm(job)), rank = rank_in(nereus_comm(job));
    for (const Wrong &call : wrong)
        for (int who = 0; who < ranks; ++who) {
            const bool is_wrong = rank == who;
            const int code = nereus_change_distribution(job, is_wrong ? call.name : "numbers",
                                                        is_wrong ? &call.distribution : &cyclic);
            expect(code == call.code, (std::string(call.says) + " is refused on all: " + nereus_message(job)).c_str());
            expect(std::strstr(nereus_message(job), call.says) != nullptr, nereus_message(job));
            numbers.check(job);
            others.check(job);
        }
    expect(nereus_change_distribution(nullptr, "numbers", &cyclic) == NEREUS_ERR_ARGUMENT, "a job is needed");
    expect(nereus_change_distribution(job, "numbers", nullptr) == NEREUS_ERR_ARGUMENT, "a distribution is needed");
    expect(nereus_change_distribution(job, nullptr, &cyclic) == NEREUS_ERR_NAME, "a name is needed");
    expect(nereus_array_distribution(job, "nobody", &cyclic) == NEREUS_ERR_NAME, "no array, no distribution");
    expect(nereus_array_distribution(job, "value", &cyclic) == NEREUS_ERR_NAME, "a value has no distribution");
    expect(nereus_array_distribution(job, "numbers", nullptr) == NEREUS_ERR_ARGUMENT, "it is written somewhere");
}

/// The application's memory: the second process has no more.
struct Scarce {
    bool is_empty = false;
    std::int64_t blocks = 0;

    static void *allocate(std::size_t bytes, void *context) {
        auto *self = static_cast<Scarce *>(context);
        if (self->is_empty) return nullptr;
        ++self->blocks;
        return std::malloc(std::max<std::size_t>(bytes, 1));
    }
    static void release(void *memory, void *context) {
        --static_cast<Scarce *>(context)->blocks;
        std::free(memory);
    }
};

/// What is left of it is as it was.
void check_block(nereus_job *job, const std::int64_t *part) {
    for (std::int64_t i = 0; i < nereus_count(job, "x"); ++i)
        expect(part[i] == nereus_first(job, "x") + i, "the part is as it was");
}

/// An array in memory of the application, and a change or a shrink for which one process has none.
void no_memory(nereus_job *job, const std::function<int()> &act, const std::function<int()> &act_again) {
    static Scarce scarce;
    static std::int64_t *part;
    constexpr std::int64_t elements = 10'007;
    const nereus_memory memory{Scarce::allocate, Scarce::release, &scarce};
    const nereus_distribution block = of_layout(NEREUS_BLOCK);
    part = static_cast<std::int64_t *>(Scarce::allocate(elements * 8, &scarce));
    expect(nereus_array_distributed(job, "x", MPI_INT64_T, elements, &block, NEREUS_VARIABLE,
                                    reinterpret_cast<void **>(&part), &memory) == NEREUS_OK,
           nereus_message(job));
    for (std::int64_t i = 0; i < nereus_count(job, "x"); ++i) part[i] = nereus_first(job, "x") + i;
    scarce.is_empty = rank_in(nereus_comm(job)) > 0; // whoever goes on
    expect(act() == NEREUS_ERR_MEMORY, "memory is missing for all");
    check_block(job, part);
    scarce.is_empty = false;
    expect(act_again() >= 0, nereus_message(job));
    Scarce::release(part, &scarce);
    expect(scarce.blocks == 0, "all memory was given back");
}

void no_memory_for_change(nereus_job *job) {
    const nereus_distribution cyclic = of_layout(NEREUS_CYCLIC), block = of_layout(NEREUS_BLOCK);
    no_memory(
        job, [&] { return nereus_change_distribution(job, "x", &cyclic); },
        [&] {
            const int code = nereus_change_distribution(job, "x", &cyclic);
            return code < 0 ? code : nereus_change_distribution(job, "x", &block);
        });
}

/// The first shrink of a job makes a communicator, which all must do.
void no_memory_for_shrink(nereus_job *job) {
    const auto shrink = [&] { return resize_to_2(job); };
    no_memory(job, shrink, [] { return NEREUS_OK; });
}

/// Messages of the first change may come after the second one.
void send_fails(nereus_job *job) {
    static Numbers numbers{"numbers"};
    const nereus_distribution cyclic = of_layout(NEREUS_CYCLIC), block = of_layout(NEREUS_BLOCK);
    numbers.enter(job);
    const std::int64_t count = nereus_count(job, "numbers");
    fails_to_send = rank_in(nereus_comm(job)) == 0;
    expect(nereus_change_distribution(job, "numbers", &cyclic) == NEREUS_ERR_MPI, "a send that fails fails on all");
    expect(!fails_to_send, "a message was to be sent");
    expect(nereus_count(job, "numbers") == count, "the part is as long as it was");
    numbers.check(job);
    expect(nereus_change_distribution(job, "numbers", &cyclic) == NEREUS_OK, "the next one is carried out");
    expect(nereus_change_distribution(job, "numbers", &block) == NEREUS_OK, "and the one back");
    numbers.check(job);
}

/// Arrays whose pointers were swapped go by the names of the pointers.
void swapped(nereus_job *job) {
    static std::int64_t *now, *next;
    const nereus_distribution cyclic = of_layout(NEREUS_CYCLIC);
    for (auto [name, pointer] : {std::pair{"now", &now}, {"next", &next}})
        expect(nereus_array(job, name, MPI_INT64_T, 1, NEREUS_BLOCK, NEREUS_VARIABLE,
                            reinterpret_cast<void **>(pointer)) == NEREUS_OK,
               nereus_message(job));
    for (std::int64_t i = 0; i < nereus_count(job, "now"); ++i) now[i] = 1, next[i] = 2;
    std::swap(now, next);
    expect(nereus_change_distribution(job, "now", &cyclic) == NEREUS_OK, nereus_message(job));
    for (std::int64_t i = 0; i < nereus_count(job, "now"); ++i) expect(now[i] == 2, "the one that was `next`");
    for (std::int64_t i = 0; i < nereus_count(job, "next"); ++i) expect(next[i] == 1, "the one that was `now`");
    expect(nereus_swap(job, "now", "next") == NEREUS_ERR_MISMATCH, "they are not alike any more");
    const nereus_distribution block = of_layout(NEREUS_BLOCK);
    expect(nereus_change_distribution(job, "now", &block) == NEREUS_OK, nereus_message(job));
    expect(nereus_swap(job, "now", "next") == NEREUS_OK, nereus_message(job));
}

/// A newcomer that registers what the array was changed to, not what the program registers, is another program.
int newcomer_differs(nereus_job *job) {
    static std::int64_t *part;
    const bool newcomer = nereus_generation(job) > 0;
    const nereus_distribution cyclic = of_layout(NEREUS_CYCLIC), block = of_layout(NEREUS_BLOCK);
    expect(nereus_array_distributed(job, "x", MPI_INT64_T, 100, newcomer ? &cyclic : &block, NEREUS_VARIABLE,
                                    reinterpret_cast<void **>(&part), nullptr) == NEREUS_OK,
           nereus_message(job));
    expect(nereus_change_distribution(job, "x", &cyclic) == NEREUS_OK, nereus_message(job));
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 3, nullptr, nullptr) >= 0, nereus_message(job));
    while (nereus_checkpoint(job) >= 0) continue;
    return NEREUS_OK;
}

int act(nereus_job *job, const std::string &what, KnownData &data, std::size_t set) {
    if (what == "resized") return resized(job, data);
    if (what == "newcomer_differs") return newcomer_differs(job);
    if (what == "any") any(job, data, set);
    if (what == "refused") refused(job);
    if (what == "undoes") undoes(job);
    if (what == "no_memory_for_change") no_memory_for_change(job);
    if (what == "no_memory_for_shrink") no_memory_for_shrink(job);
    if (what == "swapped") swapped(job);
    if (what == "send_fails") send_fails(job);
    return NEREUS_OK;
}

int take_part(int argc, char **argv) {
    const std::size_t set = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    if (const std::string hosts = argument(argc, argv, "on="); !hosts.empty())
        pretended_host() = hosts.at(static_cast<std::size_t>(rank_in(MPI_COMM_WORLD)));
    KnownData data(set_of_arrays(set)); // nereus_close() writes to its pointers
    nereus_job *job = nullptr;
    const int code = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    expect(code == NEREUS_OK || code == NEREUS_LEAVE, "the job opens");
    if (code == NEREUS_OK) act(job, argv[1], data, set);
    const int closed = nereus_close(&job);
    expect(closed >= 0, "the job closes");
    return closed;
}

}

/// The library finds it before MPI's own.
extern "C" __attribute__((visibility("default"))) int MPI_Isend(const void *data, int count, MPI_Datatype type, int to,
                                                                int tag, MPI_Comm comm, MPI_Request *request) {
    if (std::exchange(fails_to_send, false)) return MPI_ERR_OTHER;
    return PMPI_Isend(data, count, type, to, tag, comm, request);
}

int main(int argc, char **argv) { return stay_until_unwanted(argc, argv, take_part); }
