// SPDX-License-Identifier: BSD-3-Clause
// What a job and the monitor have to do with each other, where the monitor is loaded.
#pragma once

#include "job/state/generation.hpp"

#include <optional>

namespace nereus::job {

/// It is told who is who in this generation.
void tell_monitor(const Generation &generation);

/// What this process does from here on, for traces: a state of one of the activities below. nereus_monitor_state()
void tell_monitor_state(const char *activity, const char *state);
void tell_monitor_end(const char *activity);
namespace activities {
constexpr const char *resize = "resize";
constexpr const char *io_phase = "I/O phase";
constexpr const char *epoch = "epoch";
constexpr const char *stage = "stage";
constexpr const char *iteration = "iteration";
}

/// In a state as long as this lives.
class MonitoredState {
public:
    MonitoredState(const char *activity, const char *state) : activity_(activity) {
        tell_monitor_state(activity, state);
    }
    ~MonitoredState() { tell_monitor_end(activity_); }
    MonitoredState(const MonitoredState &) = delete;
    MonitoredState &operator=(const MonitoredState &) = delete;

private:
    const char *activity_;
};

/// An iteration of the application begins.
void tell_monitor_iteration(std::int64_t number);

/// `call` hears of files that all of `comm` open and close (nereus_monitor_io()). @return whether it will
bool follow_io(MPI_Comm comm, int (*call)(void *, int), void *context);

/// Bytes to each rank of `comm` in this generation, as nereus_monitor_sent() counts them; nothing where nobody
/// measures.
std::optional<std::vector<std::uint64_t>> bytes_sent(MPI_Comm comm);

}
