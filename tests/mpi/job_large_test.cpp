// SPDX-License-Identifier: BSD-3-Clause
// A user would lose the end of an array with more than 2^31 elements if a count or a place were kept in an int
// somewhere between registering and the last resize.
//
// job_large_test, on 1 rank; needs 5 GB of memory.
#include "job_matrix_case.hpp"
#include "stays.hpp"

#include <utility>

using namespace testing_mpi;

namespace {

constexpr std::int64_t elements = (std::int64_t{1} << 31) + 7;
const std::vector<JobResize> walk{{{NEREUS_MERGE, NEREUS_P2P, NEREUS_WAIT_DRAINS}, 2},
                                  {{NEREUS_MERGE, NEREUS_COL, NEREUS_BLOCKING}, 1}};

std::byte content(std::int64_t at) { return static_cast<std::byte>((at * 0x9E3779B97F4A7C15LL) >> 40); }

void fill(std::byte *part, std::int64_t count) {
    for (std::int64_t at = 0; at < count; ++at) part[at] = content(at);
}

bool is_right(nereus_job *job, const std::byte *part) {
    const std::int64_t first = nereus_first(job, "bytes"), count = nereus_count(job, "bytes");
    std::int64_t wrong = 0;
    for (std::int64_t at = 0; at < count; ++at) wrong += part[at] == content(first + at) ? 0 : 1;
    return wrong == 0;
}

void ask(nereus_job *job) {
    const JobResize &next = walk[static_cast<std::size_t>(nereus_generation(job))];
    const nereus_resize_options options = next.way.options(job);
    expect(nereus_resize(job, next.ranks, &options, nullptr) == NEREUS_OK, nereus_message(job));
}

/// @return whether this process left the job
bool iterate(nereus_job *job, std::byte *const &part) {
    std::int64_t asked = -1;
    while (static_cast<std::size_t>(nereus_generation(job)) < walk.size()) {
        if (rank_in(nereus_comm(job)) == 0 && std::exchange(asked, nereus_generation(job)) != nereus_generation(job))
            ask(job);
        const int code = nereus_checkpoint(job);
        if (code == NEREUS_LEAVE) return true;
        nereus_resize_report report;
        nereus_last_resize(job, &report);
        expect(report.request == 0 || report.code == NEREUS_RESIZED, nereus_message(job));
        if (code == NEREUS_RESIZED) expect(is_right(job, part), "every byte arrives");
    }
    return false;
}

/// From the open to the close of one job. @return NEREUS_OK, or NEREUS_WOKEN to do it again
int take_part(int argc, char **argv) {
    nereus_job *job = nullptr;
    expect(nereus_open(MPI_COMM_WORLD, argc, argv, &job) == NEREUS_OK, "the job opens");
    std::byte *part = nullptr;
    expect(nereus_array(job, "bytes", MPI_BYTE, elements, NEREUS_BLOCK, NEREUS_CONSTANT,
                        reinterpret_cast<void **>(&part)) == NEREUS_OK,
           nereus_message(job));
    if (nereus_generation(job) == 0)
        fill(part, nereus_count(job, "bytes"));
    else
        expect(is_right(job, part), "every byte came with the newcomer");
    const bool left = iterate(job, part);
    const int code = nereus_close(&job);
    expect(code == NEREUS_OK || (left && code == NEREUS_WOKEN), "the job closes");
    return code;
}

}

int main(int argc, char **argv) { return testing_mpi::stay_until_unwanted(argc, argv, take_part); }
