// SPDX-License-Identifier: BSD-3-Clause
// Failures of the emulated application, and how it goes on after one.
#include "application.hpp"

#include <algorithm>
#include <csignal>

#include <nereus/save.h>
#include <unistd.h>

#include "agreement.hpp"

namespace emulator {

namespace {

// A request of rank 0 is announced at one checkpoint, and carried out at the next.
constexpr int checkpoints_of_a_request = 2;

} // namespace

// However early a failure is, it finds an epoch.
Result<void> Application::make_first_epoch() {
    if (run_.protection == Protection::none) return {};
    const Team all = team_of(nereus_comm(job_));
    const bool in_memory = run_.protection == Protection::in_memory;
    std::optional<std::string> refused;
    if (all.rank == 0) {
        const int code = in_memory ? nereus_protect_now(job_, nullptr) : nereus_save(job_, 0, nullptr);
        if (code < 0) refused = nereus_message(job_);
    }
    if (auto agreed = agree(all, refused); !agreed) return agreed;
    for (int passed = 0; passed < checkpoints_of_a_request; ++passed)
        if (const int code = nereus_checkpoint(job_); code < 0) return library_failure("nereus_checkpoint", code);
    return {};
}

// A resize that was asked for is forgotten with the processes that were asked.
Result<void> Application::begin_again() {
    Counters &at = state_.counters;
    const int ranks = team_of(nereus_comm(job_)).size;
    at.is_asked = 0;
    enter_group_of(ranks);
    if (is_root()) results_ = nereus::LinesFile(results_path_, nereus::LinesFile::Start::append);
    write(resumed_event(at.iteration, at.group, ranks, state_.times.calibration_seconds));
    return start_generation();
}

// The job has as many ranks as when it failed, which may be those of a group that began after the epoch. That group
// ends where it would have ended.
void Application::enter_group_of(int ranks) {
    Counters &at = state_.counters;
    if (ranks == at.ranks) return;
    std::int64_t passed = 0;
    for (std::int64_t next = at.group + 1; next < std::ssize(run_.groups); ++next) {
        passed += run_.groups[static_cast<std::size_t>(next - 1)].iterations;
        if (run_.groups[static_cast<std::size_t>(next)].ranks != ranks) continue;
        at.group = next;
        at.group_iteration -= passed;
        return;
    }
}

// The times of iterations are handed in before; what the others do until the job is ended is nobody's concern.
Result<void> Application::fail_if_due() {
    const FailureSpec *failure = failures_.at(state_.counters.iteration);
    if (failure == nullptr) return {};
    if (auto flushed = flush(); !flushed) return flushed;
    const Dying who = dying(*failure, generation_->hosts().names);
    write(failure_event(*failure, who, state_.times.calibration_seconds));
    results_ = nereus::LinesFile();
    MPI_Barrier(generation_->all().comm);
    if (std::ranges::count(who.ranks, generation_->all().rank) > 0) ::kill(::getpid(), SIGKILL);
    return {};
}

} // namespace emulator
