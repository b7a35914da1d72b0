// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data, or a process, if a job could not go from any size to any other and on from there.
//
// resize_chain_test [mixed] SIZE...
//   methods come from --nereus-process-method and --nereus-transfer-method; `mixed` takes another one for each resize;
//   with --nereus-release-unit=rank nobody but rank 0 may be unable to end
#include "sample_data.hpp"
#include "stays.hpp"

#include <cctype>
#include <string>
#include <vector>

using namespace testing_mpi;

namespace {

std::vector<int> sizes_in(int argc, char **argv) {
    std::vector<int> sizes;
    for (int i = 1; i < argc; ++i)
        if (std::isdigit(argv[i][0]) != 0) sizes.push_back(std::atoi(argv[i]));
    return sizes;
}

nereus_resize_options options_for(nereus_job *job, bool mixed) {
    nereus_resize_options options;
    expect(nereus_resize_options_init(job, &options) == NEREUS_OK, "options have defaults");
    if (!mixed) return options;
    const auto generation = nereus_generation(job);
    options.process_method = static_cast<nereus_process_method>((generation + 1) % 3);
    options.transfer_method = static_cast<nereus_transfer_method>(generation % 2);
    return options;
}

bool any_may_leave(nereus_job *job) {
    nereus_resize_options options;
    nereus_resize_options_init(job, &options);
    return options.release_unit == NEREUS_UNIT_RANK && options.process_method == NEREUS_MERGE;
}

void check_report(nereus_job *job, int size) {
    nereus_resize_report report;
    expect(nereus_last_resize(job, &report) == NEREUS_OK, "there is a report");
    expect(report.code == NEREUS_RESIZED && report.to == size, "the report tells of this resize");
    expect(report.verified == 1, "checksums were compared");
    expect(report.constant_bytes + report.variable_bytes >= report.bytes_minimum, "no less moved than must");
    expect(report.pause_seconds > 0 && report.pause_seconds < 60, "the pause is a time");
    if (!any_may_leave(job)) return;
    const int leavers = report.from > size ? report.from - size : 0;
    expect(report.parked == 0 && report.left == leavers, "with unit rank everybody who is not wanted ends");
}

void expect_none_undone(nereus_job *job) {
    nereus_resize_report report;
    nereus_last_resize(job, &report);
    expect(report.code == NEREUS_RESIZED || report.request == 0, nereus_message(job));
}

/// @return whether this process left the job
bool iterate(nereus_job *job, SampleData &data, const std::vector<int> &sizes, bool mixed) {
    std::int64_t asked = -1; // generation in which this process asked
    for (;;) {
        const auto done = static_cast<std::size_t>(nereus_generation(job));
        if (done == sizes.size()) return false;
        const nereus_resize_options options = options_for(job, mixed);
        if (rank_in(nereus_comm(job)) == 0 && data.step % 3 == 0 && asked != nereus_generation(job)) {
            asked = nereus_generation(job);
            expect(nereus_resize(job, sizes[done], &options, nullptr) == NEREUS_OK, nereus_message(job));
        }
        data.advance(job);
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return true;
        expect(code >= 0, nereus_message(job));
        if (code != NEREUS_RESIZED) {
            expect_none_undone(job);
            continue;
        }
        expect(size_of(nereus_comm(job)) == sizes[done], "the job has the size that was asked for");
        check_report(job, sizes[done]);
        data.check(job);
    }
}

/// From the open to the close of one job. @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    nereus_job *job = nullptr;
    SampleData data;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    const bool founder = nereus_generation(job) == 0;
    expect(data.enter(job, founder) == NEREUS_OK, nereus_message(job));
    data.check(job);
    const bool left = iterate(job, data, sizes_in(argc, argv), argc > 1 && std::string(argv[1]) == "mixed");
    if (!left) data.check(job);
    const int code = nereus_close(&job);
    expect((code == NEREUS_OK || (left && code == NEREUS_WOKEN)) && job == nullptr, "the job closes");
    data.free_own();
    return code;
}

}

int main(int argc, char **argv) { return testing_mpi::stay_until_unwanted(argc, argv, take_part); }
