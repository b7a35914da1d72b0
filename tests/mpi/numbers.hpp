// SPDX-License-Identifier: BSD-3-Clause
// An array whose elements are their own numbers, and a resize of it to 2 processes.
#pragma once

#include "expect.hpp"

#include <nereus/nereus.h>

#include <cstdint>

namespace testing_mpi {

struct Numbers {
    static constexpr std::int64_t elements = 300'007;

    const char *name;
    std::int64_t *part = nullptr;

    void enter(nereus_job *job) {
        expect(nereus_array(job, name, MPI_INT64_T, elements, NEREUS_BLOCK, NEREUS_CONSTANT,
                            reinterpret_cast<void **>(&part)) == NEREUS_OK,
               nereus_message(job));
        for (std::int64_t i = 0; i < nereus_count(job, name); ++i) part[i] = nereus_first(job, name) + i;
    }

    void check(nereus_job *job) const {
        for (std::int64_t i = 0; i < nereus_count(job, name); ++i)
            expect(part[i] == nereus_first(job, name) + i, "each number is at its place");
    }
};

/// What becomes of one resize to 2.
inline int resize_to_2(nereus_job *job) {
    nereus_resize_report before, report;
    nereus_last_resize(job, &before);
    if (rank_in(nereus_comm(job)) == 0) expect(nereus_resize(job, 2, nullptr, nullptr) >= 0, nereus_message(job));
    do {
        const int code = nereus_checkpoint(job);
        expect(code >= 0, nereus_message(job));
        if (code == NEREUS_LEAVE) return code;
        nereus_last_resize(job, &report);
    } while (report.request == before.request);
    return report.code;
}

}
