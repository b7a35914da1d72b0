// SPDX-License-Identifier: BSD-3-Clause
#include "job/balancing.hpp"

#include "base/clock.hpp"
#include "base/printable.hpp"
#include "mpi/share.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

namespace nereus::job {
namespace {

/// Between two comparisons. Fewer iterations are a chance; sooner, comparing costs more than a thousandth.
constexpr std::int64_t iterations_to_compare = 8;
constexpr double seconds_between_comparisons = 0.2;

bool is_of_rows(const Entry &entry) {
    return !entry.is.value && entry.is.rows_of.empty() && entry.is.shape.layout == plan::Layout::weighted;
}

/// All arrays whose rows can move. NEREUS_ERR_STATE where there are none, or their numbers differ.
Result<std::vector<Entry *>> arrays_of_rows(Registry &registry) {
    std::vector<Entry *> arrays;
    for (Entry &entry : registry.entries())
        if (is_of_rows(entry)) arrays.push_back(&entry);
    if (arrays.empty()) return failed(NEREUS_ERR_STATE, "no array or matrix has the layout NEREUS_WEIGHTED");
    for (const Entry *entry : arrays)
        if (entry->is.shape.elements != arrays.front()->is.shape.elements)
            return failed(NEREUS_ERR_STATE, "\"" + entry->is.name + "\" and \"" + arrays.front()->is.name +
                                                "\" have different numbers of rows");
    return arrays;
}

/// Of all arrays, with what matrices have in a row in the mean.
std::int64_t bytes_of_row(const Registry &registry, std::int64_t rows) {
    std::int64_t bytes = 0;
    for (const Entry &entry : registry.entries())
        if (is_of_rows(entry) || !entry.is.rows_of.empty()) bytes += entry.is.bytes();
    return rows == 0 ? 0 : bytes / rows;
}

Result<std::vector<double>> gather(const mpi::Comm &comm, double mine) {
    std::vector<double> all(comm.rank() == 0 ? static_cast<std::size_t>(comm.size()) : 0);
    auto done = mpi::check(MPI_Gather(&mine, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, comm.get()), "MPI_Gather");
    if (!done) return tl::unexpected(done.error());
    return all;
}

/// Of rank 0; none: rows stay.
Result<plan::Borders> shared(MPI_Comm comm, const plan::Borders &borders) {
    mpi::Bytes bytes(borders.size() * sizeof(std::int64_t));
    if (!bytes.empty()) std::memcpy(bytes.data(), borders.data(), bytes.size());
    auto told = mpi::share(comm, 0, std::move(bytes));
    if (!told) return tl::unexpected(told.error());
    plan::Borders of_all(told->size() / sizeof(std::int64_t));
    if (!of_all.empty()) std::memcpy(of_all.data(), told->data(), told->size());
    return of_all;
}

/// "" on others than rank 0, which decides nothing.
std::string sentence_of(const plan::BalanceDecision &decision) {
    if (decision.before() <= 0) return "";
    char text[160];
    std::snprintf(
        text, sizeof text,
        "rows were balanced: ranks compute for at most %.3g ms in an iteration instead of %.3g ms, as expected",
        decision.after() * 1e3, decision.before() * 1e3);
    return text;
}

}

void Balancing::iterated(double computed) { computed_.add(computed); }

bool Balancing::is_due(const JobState &job) const {
    return job.settings.balance && job.generation.control.size() > 1 && computed_.count() >= iterations_to_compare &&
           now() - compared_at_ >= seconds_between_comparisons;
}

Request Balancing::request(JobState &job) {
    const mpi::Comm &control = job.generation.control;
    Request request;
    request.number = control.rank() == 0 ? job.requests.next_number() : 1;
    request.ranks = control.size();
    request.balances = 1;
    request.options = job.settings.resize;
    request.options.process_method = NEREUS_MERGE;
    request.options.survivors = NEREUS_FIRST;
    request.options.placement = NEREUS_COMPACT;
    return request;
}

Result<bool> Balancing::compare(JobState &job) {
    const mpi::Comm &control = job.generation.control;
    const int rank = control.rank(), ranks = control.size();
    auto seconds = gather(control, computed_.median());
    if (!seconds) return tl::unexpected(seconds.error());
    plan::Borders wanted;
    auto arrays = arrays_of_rows(job.registry);
    if (rank == 0 && arrays) {
        const plan::Work work{arrays->front()->before(ranks).borders(), std::move(*seconds)};
        wanted = decision_.next(work, computed_.count(), bytes_of_row(job.registry, work.borders.back()));
        if (plan::longest(work.seconds) <= 0) say("no stage that computes is marked (nereus_stage_begin())");
    } else if (rank == 0) {
        say(arrays.error().what);
    }
    compared_at_ = now();
    computed_ = {};
    auto of_all = shared(control.get(), wanted);
    if (!of_all) return tl::unexpected(of_all.error());
    is_moving_ = !of_all->empty() && arrays;
    if (is_moving_)
        for (Entry *entry : *arrays) entry->next_borders = *of_all;
    return is_moving_;
}

/// Once.
void Balancing::say(const std::string &why) {
    if (said_ == why) return;
    said_ = why;
    print_line("nereus", "the setting balance has no effect: " + why);
}

void Balancing::begin_anew() {
    computed_ = {};
    compared_at_ = now();
    decision_.begins_anew();
}

std::string Balancing::resize_ended(const nereus_resize_report &report) {
    const bool have_moved = std::exchange(is_moving_, false) && report.code == NEREUS_RESIZED;
    if (!have_moved) {
        begin_anew();
        return "";
    }
    computed_ = {};
    compared_at_ = now();
    decision_.moved(report.pause_seconds);
    return sentence_of(decision_);
}

}
