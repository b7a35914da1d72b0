// SPDX-License-Identifier: BSD-3-Clause
#include "job/registering.hpp"

#include "job/data/binding.hpp"
#include "job/data/consistency.hpp"
#include "job/data/shared_arrays.hpp"
#include "mpi/abort.hpp"

#include <chrono>
#include <thread>

namespace nereus::job {
namespace {

/// Rank 0 of a job that resumed speaks for all, which find the same.
constexpr auto time_for_root = std::chrono::seconds(2);

/// Of a newcomer that has something else than the job. The others are in the next generation, which cannot be rolled
/// back, and this process has no data: it does not go on, whether or not the program looks at codes (decision 0024).
/// Nor does a job that has something else than the epoch from which it is to continue.
[[noreturn]] void end_the_job(const JobState &job, const std::string &difference) {
    if (!job.resumed) mpi::abort_job(difference + "; the resize is done and cannot be rolled back: the job ends");
    if (job.generation.control.rank() != 0) std::this_thread::sleep_for(time_for_root);
    if (job.settings.restarted)
        mpi::abort_job(difference + ": it was started anew to continue with the same data, and cannot: the job ends");
    mpi::abort_job(difference + ": it is not the program that saved the epoch (resume = " + job.settings.resume + ")");
}

Entry &bound_to(JobState &job, const Description &is) {
    const Description expected = job.registry.next_expected()->is;
    auto entry = job.registry.bind(is);
    if (!entry)
        end_the_job(job, job.resumed
                             ? "this program registers " + is.sentence() + " where the epoch has " + expected.sentence()
                             : entry.error().what);
    return **entry;
}

/// Whoever finds data in place when the job opens counts on all of it.
void check_that_epoch_has(const JobState &job, const Description &is) {
    if (job.resumed) end_the_job(job, "this program registers " + is.sentence() + ", which the epoch does not have");
}

}

Done add_array(JobState &job, Description is, void **pointer, const nereus_memory *own_memory,
               std::vector<std::int64_t> borders) {
    const mpi::Comm &control = job.generation.control;
    const auto count = [&](const Entry &entry) { return entry.before(control.size()).count_of(control.rank()); };
    const Entry *expected = job.registry.next_expected();
    if (expected != nullptr && expected->is.registered == is.shape) is = is.with(expected->is.shape);
    is.shared = own_memory == nullptr && job.settings.memory == memory_shared && can_be_shared(is);
    if (job.registry.expects_more()) {
        Entry &entry = bound_to(job, is);
        return bind_array(entry, count(entry), pointer, own_memory);
    }
    check_that_epoch_has(job, is);
    if (auto done = job.registry.check_name(is.name); !done) return done;
    Entry entry{is, nullptr, pointer, own_memory ? *own_memory : library_memory(), own_memory == nullptr};
    entry.borders = borders.empty() ? job.registry.borders_like(is) : std::move(borders);
    if (own_memory)
        entry.data = *pointer;
    else if (auto done = take_part(job.generation, job.settings, entry); !done)
        return done;
    job.registry.add(entry);
    if (!own_memory) entry.point();
    return {};
}

Done add_matrix(JobState &job, MatrixParts parts, std::int64_t nonzeros, nereus_matrix *matrix) {
    const mpi::Comm &control = job.generation.control;
    std::vector<std::int64_t> borders;
    if (job.registry.expects_more()) {
        const Entry *known = job.registry.find(parts.columns.name);
        if (known != nullptr) parts.set_nonzeros(known->is.elements());
    } else {
        for (const Description *is : {&parts.starts, &parts.columns, &parts.values})
            if (auto done = job.registry.check_name(is->name); !done) return done;
        auto gathered = borders_of_founders(control.get(), nonzeros, parts.most_nonzeros());
        if (!gathered) return tl::unexpected(gathered.error());
        borders = std::move(*gathered);
        parts.set_nonzeros(borders.back());
    }
    *matrix = {};
    auto done = add_array(job, parts.starts, reinterpret_cast<void **>(&matrix->starts), nullptr);
    if (done) done = add_array(job, parts.columns, reinterpret_cast<void **>(&matrix->columns), nullptr, borders);
    if (done) done = add_array(job, parts.values, &matrix->values, nullptr, borders);
    if (!done) return done;
    job.registry.find(parts.starts.name)->matrix = matrix;
    show_numbers(job.registry, control.size(), control.rank());
    return {};
}

Done add_value(JobState &job, const Description &is, void *value) {
    if (!job.registry.expects_more()) {
        check_that_epoch_has(job, is);
        if (auto done = job.registry.check_name(is.name); !done) return done;
        job.registry.add({is, value, nullptr, c_memory(), false});
        return {};
    }
    bind_value(bound_to(job, is), value);
    return {};
}

void check_that_all_is_registered(const JobState &job, const std::string &call) {
    if (const Entry *next = job.registry.next_expected())
        end_the_job(job, std::string(job.resumed ? "this program" : "this newcomer") + " reaches " + call +
                             " without having registered " + next->is.sentence());
}

Done take_out(JobState &job, const std::string &name) {
    (void)job.registry.follow_pointers(); // where its pointer goes with it, it may show anything
    // In shared memory a process without elements has the files of both, and must let go of the one that others do.
    if (job.registry.find(name)->is.shared) {
        auto swaps = agree_on_swaps(job.generation.control.get(), job.registry, {});
        if (!swaps) return tl::unexpected(swaps.error());
    }
    job.registry.remove(name);
    return {};
}

}
