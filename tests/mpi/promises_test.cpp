// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a job that a failed resize harms, or that does not say why it failed.
//
// promises_test CASE: each case asks for a resize that cannot be, then for one that can.
#include "sample_data.hpp"

#include <nereus/nereus.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>

using namespace testing_mpi;

namespace {

struct Outcome {
    int code;
    nereus_resize_report report;
    std::string message;
};

/// Asks on rank 0 and passes checkpoints until the request was dealt with.
Outcome resize_to(nereus_job *job, SampleData &data, int ranks) {
    nereus_resize_report before, after;
    nereus_last_resize(job, &before);
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, ranks, nullptr, nullptr) >= 0, nereus_message(job));
    for (int tries = 0; tries < 3; ++tries) {
        data.advance(job);
        const int code = nereus_checkpoint(job);
        nereus_last_resize(job, &after);
        if (code != NEREUS_GO_ON || after.request != before.request) return {code, after, nereus_message(job)};
    }
    expect(false, "a request is dealt with at the third checkpoint at the latest");
    return {};
}

void expect_undone(nereus_job *job, SampleData &data, int ranks, int why, const char *state, const char *reason) {
    const int size = size_of(nereus_comm(job));
    const Outcome outcome = resize_to(job, data, ranks);
    expect(outcome.code == NEREUS_GO_ON, "a resize that was rolled back lets the job go on");
    expect(outcome.report.code == why, outcome.message.c_str());
    expect(std::strcmp(outcome.report.state, state) == 0, outcome.message.c_str());
    expect(outcome.message.find(reason) != std::string::npos, outcome.message.c_str());
    expect(size_of(nereus_comm(job)) == size, "the job keeps its size");
    data.check(job);
}

void expect_resizable(nereus_job *job, SampleData &data) {
    const Outcome outcome = resize_to(job, data, size_of(nereus_comm(job)) + 1);
    expect(outcome.code == NEREUS_RESIZED, outcome.message.c_str());
}

/// A memory function that fails while `empty` is set.
struct Miser {
    bool empty = false;
    static void *allocate(std::size_t bytes, void *context) {
        return static_cast<Miser *>(context)->empty ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
    }
    static void release(void *memory, void *) { std::free(memory); }
};

struct Scene {
    nereus_job *job;
    SampleData &data;
    bool founder;
    int argc;
    char **argv;
};

void no_memory(Scene &s) {
    static Miser miser;
    static void *pointer = std::malloc(8000);
    const nereus_memory memory{Miser::allocate, Miser::release, &miser};
    if (!s.founder) pointer = nullptr;
    expect(nereus_array_of(s.job, "scarce", MPI_BYTE, 2000, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer, &memory) ==
               NEREUS_OK,
           nereus_message(s.job));
    if (!s.founder) return;
    miser.empty = true;
    expect_undone(s.job, s.data, size_of(nereus_comm(s.job)) + 2, NEREUS_ERR_MEMORY, "ready", "\"scarce\"");
    miser.empty = false;
}

/// 64 TiB of addresses can be had anywhere; the memory for them would be missing when it is touched.
void never_fits(Scene &s) {
    if (!s.founder) return;
    void *pointer = nullptr;
    const int code =
        nereus_array(s.job, "endless", MPI_BYTE, std::int64_t{1} << 46, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer);
    expect(code == NEREUS_ERR_MEMORY && pointer == nullptr, nereus_message(s.job));
    const std::string said = nereus_message(s.job);
    expect(said.find("\"endless\" needs 70368744177664 B on this host; its memory and swap") == 0, said.c_str());
}

void ranks_disagree(Scene &s) {
    if (!s.founder) return;
    const std::int64_t elements = 100 + rank_in(nereus_comm(s.job));
    static void *kept;
    expect(nereus_array(s.job, "odd", MPI_INT, elements, NEREUS_BLOCK, NEREUS_VARIABLE, &kept) == NEREUS_OK,
           "registered");
    expect_undone(s.job, s.data, size_of(nereus_comm(s.job)) + 1, NEREUS_ERR_MISMATCH, "making", "\"odd\"");
}

/// The program file is away while the job asks.
void program_gone(Scene &s) {
    if (!s.founder) return;
    const std::string away = std::string(s.argv[0]) + ".away";
    if (rank_in(nereus_comm(s.job)) == 0)
        expect(std::rename(s.argv[0], away.c_str()) == 0, "the program can be moved away");
    MPI_Barrier(nereus_comm(s.job));
    expect_undone(s.job, s.data, size_of(nereus_comm(s.job)) + 1, NEREUS_ERR_PROCESS, "making", "cannot be started");
    if (rank_in(nereus_comm(s.job)) == 0) std::rename(away.c_str(), s.argv[0]);
    MPI_Barrier(nereus_comm(s.job));
}

void same_size(Scene &s) {
    if (!s.founder) return;
    const int size = size_of(nereus_comm(s.job));
    if (rank_in(nereus_comm(s.job)) == 0)
        expect(nereus_resize(s.job, size, nullptr, nullptr) == NEREUS_UNCHANGED, "the present size is nothing to do");
}

void impossible_sizes(Scene &s) {
    if (rank_in(nereus_comm(s.job)) != 0) {
        expect(nereus_resize(s.job, 2, nullptr, nullptr) == NEREUS_ERR_ROOT, "only rank 0 asks");
        return;
    }
    expect(nereus_resize(s.job, 0, nullptr, nullptr) == NEREUS_ERR_RANGE, "no job has 0 processes");
    expect(nereus_resize(s.job, -3, nullptr, nullptr) == NEREUS_ERR_RANGE, "no job has -3 processes");
    expect(nereus_resize(s.job, 70000, nullptr, nullptr) == NEREUS_ERR_RANGE, "max-ranks is a limit");
    expect(std::string(nereus_message(s.job)).find("1 .. 65536") != std::string::npos, nereus_message(s.job));
    nereus_resize_options options;
    expect(nereus_resize_options_init(s.job, &options) == NEREUS_OK, "options have defaults");
    options.transfer_method = static_cast<nereus_transfer_method>(99);
    expect(nereus_resize(s.job, 2, &options, nullptr) == NEREUS_ERR_ARGUMENT, "methods must exist");
}

void names(Scene &s) {
    void *pointer = nullptr;
    expect(nereus_array(s.job, "x", MPI_INT, 5, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer) == NEREUS_ERR_NAME,
           "names are unique");
    expect(nereus_array(s.job, "", MPI_INT, 5, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer) == NEREUS_ERR_ARGUMENT,
           "names are not empty");
    expect(nereus_array(s.job, "y", MPI_INT, -1, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer) == NEREUS_ERR_ARGUMENT,
           "no negative size");
    expect(nereus_array(s.job, "y", MPI_DATATYPE_NULL, 5, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer) ==
               NEREUS_ERR_ARGUMENT,
           "no type");
    constexpr std::int64_t too_many = (std::int64_t{1} << 60) + 1;
    expect(nereus_array(s.job, "y", MPI_DOUBLE, too_many, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer) ==
               NEREUS_ERR_ARGUMENT,
           "bytes that cannot be counted are refused");
    expect(nereus_count(s.job, "nobody") == NEREUS_ERR_NAME && nereus_first(s.job, nullptr) == NEREUS_ERR_NAME,
           "unknown names");
}

/// Files by which processes of a late_newcomer tell each other how far they are; each run has a TMPDIR of its own.
std::string mark(const char *name) {
    const char *folder = std::getenv("TMPDIR");
    expect(folder != nullptr, "run_mpi_test.py sets TMPDIR");
    return std::string(folder) + "/promises-" + name;
}

void leave_mark(const char *name) { std::ofstream(mark(name)).put('\n'); }

void wait_for_mark(const char *name) {
    while (access(mark(name).c_str(), F_OK) != 0) usleep(10'000);
}

/// Newcomers come when connect-timeout is over (see main), and learn then that they are not wanted.
void late_newcomer(Scene &s) {
    if (!s.founder) return;
    expect_undone(s.job, s.data, size_of(nereus_comm(s.job)) + 1, NEREUS_ERR_TIMEOUT, "making",
                  "starting the newcomers");
    // With Open MPI a newcomer cannot come to processes that have ended: its connection breaks, and the run with it.
    leave_mark("undone");
    wait_for_mark("coming");
    sleep(2);
}

/// A newcomer has another name, another length, or comes to a checkpoint with nothing: the job ends, which is not left
/// to what the program does with codes. The second argument says which.
void newcomer_differs(Scene &s) {
    static void *pointer = nullptr; // the library looks at it and writes to it until the job is closed
    const std::string other = s.argv[2];
    if (s.founder || other != "nothing")
        (void)nereus_array(s.job, !s.founder && other == "name" ? "newcomers" : "founders", MPI_INT,
                           !s.founder && other == "length" ? 6 : 5, NEREUS_BLOCK, NEREUS_VARIABLE, &pointer);
    if (!s.founder) (void)nereus_checkpoint(s.job);
    expect(s.founder, "a newcomer that has something else does not go on");
}

/// Both are carried out, in order, also when rank 0 is another process after the first.
void two_requests(Scene &s) {
    if (!s.founder) return;
    const int size = size_of(nereus_comm(s.job));
    if (rank_in(nereus_comm(s.job)) != 0) return;
    std::uint64_t first = 0, second = 0;
    expect(nereus_resize(s.job, size + 2, nullptr, &first) == NEREUS_OK, "the first request is accepted");
    expect(nereus_resize(s.job, size + 1, nullptr, &second) == NEREUS_PENDING && second == first + 1,
           "the second one waits");
}

bool reach(nereus_job *job, SampleData &data, std::int64_t generation) {
    while (nereus_generation(job) < generation) {
        data.advance(job);
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return false;
        expect(code >= 0, nereus_message(job));
    }
    return true;
}

void dropped_at_the_end(Scene &s) {
    if (rank_in(nereus_comm(s.job)) == 0)
        expect(nereus_resize(s.job, 7, nullptr, nullptr) == NEREUS_OK, "the request is accepted");
}

struct Case {
    std::function<void(Scene &)> act;
    enum { ends, grows, shrinks_after_growing } then;
};

const std::map<std::string, Case> cases{{"no_memory", {no_memory, Case::grows}},
                                        {"never_fits", {never_fits, Case::grows}},
                                        {"ranks_disagree", {ranks_disagree, Case::ends}},
                                        {"program_gone", {program_gone, Case::grows}},
                                        {"same_size", {same_size, Case::grows}},
                                        {"impossible_sizes", {impossible_sizes, Case::grows}},
                                        {"names", {names, Case::grows}},
                                        {"late_newcomer", {late_newcomer, Case::ends}},
                                        {"newcomer_differs", {newcomer_differs, Case::grows}},
                                        {"two_requests", {two_requests, Case::shrinks_after_growing}},
                                        {"dropped_at_the_end", {dropped_at_the_end, Case::ends}}};

bool is_newcomer() {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

void play(const Case &scene_of, Scene &scene) {
    expect(scene.data.enter(scene.job, scene.founder) == NEREUS_OK, nereus_message(scene.job));
    scene_of.act(scene);
    if (scene.founder && scene_of.then == Case::grows) expect_resizable(scene.job, scene.data);
    if (scene_of.then == Case::shrinks_after_growing && !reach(scene.job, scene.data, 2)) return;
    scene.data.check(scene.job);
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    expect(argc > 1 && cases.contains(argv[1]), "argument: a case");
    if (is_newcomer() && std::string(argv[1]) == "late_newcomer") {
        wait_for_mark("undone");
        leave_mark("coming");
    }
    nereus_job *job = nullptr;
    SampleData data;
    const int opened = nereus_open(MPI_COMM_WORLD, argc, argv, &job);
    expect(opened == NEREUS_OK || opened == NEREUS_LEAVE, "the job opens, or says that it needs nobody");
    if (opened == NEREUS_OK) {
        Scene scene{job, data, nereus_generation(job) == 0, argc, argv};
        play(cases.at(argv[1]), scene);
    }
    expect(nereus_close(&job) == NEREUS_OK, "the job closes");
    data.free_own();
    MPI_Finalize();
    return 0;
}
