// SPDX-License-Identifier: BSD-3-Clause
// The trace of this process, for `nereus trace`: each call with its time, each message that arrived, marks at new
// generations and phases. docs/formats/trace.md.
#pragma once

#include "base/error.hpp"
#include "pmpi/call_sink.hpp"
#include "pmpi/clock_offset.hpp"
#include "pmpi/trace_limits.hpp"
#include "record/event_ring.hpp"
#include "record/unrecorded_messages.hpp"

#include <atomic>
#include <mpi.h>
#include <mutex>
#include <string>

namespace nereus::pmpi {

/// A message that one side of it tells.
struct Message {
    std::uint32_t group; ///< number of the communicator in this process
    std::int32_t peer;   ///< the other side's rank in it
    std::int32_t tag;
    std::uint64_t bytes;
    std::uint32_t number = 0; ///< where it arrived: of the receive among all that were posted, from 1
};

class Traced final : public CallSink {
public:
    Traced(std::unique_ptr<monitor::EventRing> ring, const TraceLimits &limits);

    /// Also while recording is switched off: requests and communicators are followed.
    bool takes(const void *) const override { return true; }
    bool follows_messages() const override { return true; }
    monitor::Moment now() const override { return {ring_->now(), 0}; }
    void note(const monitor::CallShape &shape, Envelope envelope, monitor::Moment begin, monitor::Moment end) override;
    void note_in_vain(const monitor::CallShape &shape, monitor::Moment begin, monitor::Moment end) override;

    /// Of persistent requests; other sends are calls.
    void sent(const Message &message);
    void received(const Message &message);
    /// Also where it does not record.
    void mark(const char *what, std::uint64_t number);
    /// Only while it records.
    void mark_often(const char *what, std::uint64_t number);
    monitor::RecordingWindows &windows() { return windows_; }

    void end(const ClockOffset *at_end);

private:
    bool is_recording(std::int64_t now);
    void pauses();
    void goes_on();
    void tell_unrecorded();
    void leave_out(const monitor::UnrecordedMessages::Key &key, std::uint32_t number);
    void add(bool is_sent, std::int64_t then, const Message &message);

    std::unique_ptr<monitor::EventRing> ring_;
    const monitor::EventFilter filter_;
    monitor::RecordingWindows windows_;
    monitor::UnrecordedMessages unrecorded_;
    std::atomic<bool> is_off_{false}; ///< changed by who has the guard
    std::mutex guard_;
};

/// nullptr where there is no trace.
Traced *trace();

struct TraceSettings {
    MPI_Comm all; ///< the program's communicator of all processes
    std::string folder;
    std::uint64_t most; ///< events that are kept
    std::string world, host;
    MPI_Comm comm; ///< ours, of all processes of the world
    int rank, ranks;
    TraceLimits limits;
};

/// Collective over the world, also where the ranks that are recorded are others.
Done begin_trace(const TraceSettings &settings);
/// `at_end`: by how much the clocks differ now; nullptr: it was not measured.
void end_trace(const ClockOffset *at_end);

}
