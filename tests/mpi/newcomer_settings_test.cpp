// SPDX-License-Identifier: BSD-3-Clause
// A user whose environment does not reach newcomers would have a job that does one thing before a resize and another
// after it, or hangs where one process compares checksums and another does not.
//
// newcomer_settings_test SIZE...
#include "sample_data.hpp"
#include "stays.hpp"

#include <cctype>
#include <string>
#include <utility>
#include <vector>

using namespace testing_mpi;

namespace {

bool is_newcomer() {
    MPI_Comm parent = MPI_COMM_NULL;
    MPI_Comm_get_parent(&parent);
    return parent != MPI_COMM_NULL;
}

struct Setting {
    const char *variable, *of_founders, *of_newcomers;
};

void set_environment() {
    for (const Setting &each : {Setting{"NEREUS_VERIFY", "on", "off"},
                                {"NEREUS_MESSAGE_BYTES", "100", "1000000"},
                                {"NEREUS_TRANSFER_MEMORY", "65536", "1000000"},
                                {"NEREUS_MAX_RANKS", "5", "100"},
                                {"NEREUS_PLACEMENT", "spread", "compact"},
                                {"NEREUS_TRANSFER_METHOD", "col", "p2p"},
                                {"NEREUS_PROCESS_STRATEGIES", "none", "auto"},
                                {"NEREUS_HOSTS", "", "elsewhere:7"}})
        setenv(each.variable, is_newcomer() ? each.of_newcomers : each.of_founders, 1);
}

void check_settings(nereus_job *job) {
    nereus_resize_options options;
    expect(nereus_resize_options_init(job, &options) == NEREUS_OK, "options have defaults");
    expect(options.placement == NEREUS_SPREAD && options.transfer_method == NEREUS_COL &&
               options.process_strategies == 0,
           "methods are those of the founders");
    if (rank_in(nereus_comm(job)) != 0) return;
    expect(nereus_resize(job, 6, nullptr, nullptr) == NEREUS_ERR_RANGE, "what the founders do not allow is refused");
    expect(std::string(nereus_message(job)).find("1 .. 5") != std::string::npos, nereus_message(job));
}

void check_resize(nereus_job *job, SampleData &data) {
    nereus_resize_report report;
    nereus_last_resize(job, &report);
    expect(report.code == NEREUS_RESIZED && report.verified == 1, "checksums were compared");
    expect(report.transfer_method == NEREUS_COL, "the data went as the founders have it");
    data.check(job);
    check_settings(job);
}

/// To the last size, or until this process leaves.
void iterate(nereus_job *job, SampleData &data, const std::vector<int> &sizes) {
    std::int64_t asked = -1; // generation in which this process asked
    for (;;) {
        const std::int64_t generation = nereus_generation(job);
        if (generation == std::ssize(sizes)) return;
        if (rank_in(nereus_comm(job)) == 0 && std::exchange(asked, generation) != generation)
            expect(nereus_resize(job, sizes[static_cast<std::size_t>(generation)], nullptr, nullptr) == NEREUS_OK,
                   nereus_message(job));
        data.advance(job);
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return;
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_RESIZED) check_resize(job, data);
    }
}

int take_part(int argc, char **argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i)
        if (std::isdigit(argv[i][0]) != 0) sizes.push_back(std::atoi(argv[i]));
    set_environment();
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    SampleData data;
    expect(data.enter(job, nereus_generation(job) == 0) == NEREUS_OK, nereus_message(job));
    data.check(job);
    check_settings(job);
    iterate(job, data, sizes);
    const int code = nereus_close(&job);
    expect(code == NEREUS_OK || code == NEREUS_WOKEN, "the job closes");
    data.free_own();
    return code;
}

}

int main(int argc, char **argv) { return testing_mpi::stay_until_unwanted(argc, argv, take_part); }
