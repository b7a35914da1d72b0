// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/traced.hpp"

#include "base/clock.hpp"
#include "pmpi/message_calls.hpp"
#include "pmpi/messages.hpp"
#include "pmpi/sensor.hpp"

#include <algorithm>

namespace nereus::pmpi {
namespace {

/// Not given back: a thread of the program may be in a call when the trace ends.
std::atomic<Traced *> the_trace{nullptr};

/// The last call of this thread: what it tells of messages belongs to its begin or its end.
struct LastCall {
    std::int64_t begin = 0, end = 0;
    bool is_recorded = true;
};
thread_local LastCall last_call;

/// Communicators are numbered in the order in which they were made, so that processes agree which of two that have the
/// same members is which.
void know_first_communicators(MPI_Comm all) {
    communicator_made(all);
    if (all != MPI_COMM_WORLD) return; // of sessions: there may be no world
    communicator_made(MPI_COMM_SELF);
    MPI_Comm parents = MPI_COMM_NULL;
    PMPI_Comm_get_parent(&parents);
    communicator_made(parents);
}

}

Traced *trace() { return the_trace.load(std::memory_order_acquire); }

Traced::Traced(std::unique_ptr<monitor::EventRing> ring, const TraceLimits &limits)
    : ring_(std::move(ring)), filter_(limits.filter, message_calls()), windows_(limits.windows),
      unrecorded_(ring_->head().most / 4) {}

/// Tells once that it pauses, and once that it goes on, with how many messages went by meanwhile.
bool Traced::is_recording(std::int64_t now) {
    const bool records = on() && windows_.is_open(now);
    if (records == is_off_.load(std::memory_order_acquire)) records ? goes_on() : pauses();
    return records;
}

void Traced::pauses() {
    const std::lock_guard lock(guard_);
    if (is_off_) return;
    mark("paused", 0);
    is_off_ = true;
}

/// What was counted stands before all that is recorded from now on, of each thread.
void Traced::goes_on() {
    const std::lock_guard lock(guard_);
    if (!is_off_) return;
    tell_unrecorded();
    mark("resumed", 0);
    is_off_ = false;
}

void Traced::tell_unrecorded() {
    const std::int64_t now = ring_->now();
    for (const auto &[key, count] : unrecorded_.take()) {
        const std::uint64_t span = key.is_sent ? 0 : count.last - count.first;
        const char *const what = key.is_sent ? "unrecorded sends" : "unrecorded receives";
        ring_->add({what, now, now, std::uint64_t{count.messages} << 32 | span, key.group, key.peer, key.tag,
                    key.is_sent ? 0 : count.first});
    }
}

/// By a call that was not to be recorded; where another thread has resumed meanwhile, it is told at once.
void Traced::leave_out(const monitor::UnrecordedMessages::Key &key, std::uint32_t number) {
    if (!filter_.follows_messages()) return;
    const std::lock_guard lock(guard_);
    if (unrecorded_.add(key, number) == monitor::UnrecordedMessages::Added::no_more) mark("uncounted", 0);
    if (!is_off_) tell_unrecorded();
}

void Traced::note(const monitor::CallShape &shape, Envelope envelope, monitor::Moment begin, monitor::Moment end) {
    const bool is_recorded = is_recording(end.wall);
    last_call = {begin.wall, end.wall, is_recorded};
    const bool sends = envelope.is_sent && envelope.peer >= 0 && filter_.takes_message(shape.bytes);
    if (!is_recorded) {
        if (sends) leave_out({true, shape.group, envelope.peer, envelope.tag}, 0);
        return;
    }
    const bool sends_too_little = envelope.is_sent && !filter_.takes_message(shape.bytes);
    if (sends_too_little && !envelope.may_arrive) return;
    if (sends_too_little ? !filter_.takes_call(shape.call) : !filter_.takes(shape)) return;
    const std::int32_t peer = envelope.peer != monitor::CallShape::none ? envelope.peer : shape.peer;
    ring_->add({shape.call, begin.wall, end.wall, shape.bytes, shape.group,
                peer >= 0 && !sends_too_little ? peer : monitor::TraceEvent::no_peer, envelope.tag});
}

void Traced::note_in_vain(const monitor::CallShape &shape, monitor::Moment begin, monitor::Moment end) {
    if (is_recording(end.wall) && filter_.takes(shape))
        ring_->add_in_vain({shape.call, begin.wall, end.wall, 0, shape.group});
}

void Traced::sent(const Message &message) { add(true, last_call.begin, message); }
void Traced::received(const Message &message) { add(false, last_call.end, message); }

void Traced::add(bool is_sent, std::int64_t then, const Message &message) {
    if (!filter_.follows_messages() || !filter_.takes_message(message.bytes)) return;
    if (!last_call.is_recorded) return leave_out({is_sent, message.group, message.peer, message.tag}, message.number);
    ring_->add({is_sent ? "sent" : "received", then, then, message.bytes, message.group, message.peer, message.tag,
                message.number});
}

void Traced::mark(const char *what, std::uint64_t number) {
    const std::int64_t now = ring_->now();
    ring_->add({what, now, now, number});
}

void Traced::mark_often(const char *what, std::uint64_t number) {
    if (is_recording(ring_->now())) mark(what, number);
}

void Traced::end(const ClockOffset *at_end) {
    monitor::TraceHead &head = ring_->head();
    {
        const std::lock_guard lock(guard_);
        tell_unrecorded();
    }
    if (at_end) {
        head.clock_offset_at_end = at_end->nanoseconds;
        head.clock_error_at_end = at_end->error;
        head.compared_at_end = ring_->now();
    }
    head.is_ended = 1;
}

Done begin_trace(const TraceSettings &settings) {
    const std::string path = settings.folder + "/" + settings.world + "-" + std::to_string(settings.rank) + ".trace";
    const ClockOffset offset = offset_to_root(settings.comm, boot_id());
    if (!settings.limits.takes_rank(settings.rank)) return {};
    auto ring = monitor::EventRing::begin(
        {path, settings.most, settings.world, settings.host, boot_id(), settings.rank, settings.ranks});
    if (!ring) return tl::unexpected(ring.error());
    (*ring)->head().clock_offset = offset.nanoseconds;
    (*ring)->head().clock_error = offset.error;
    auto *begun = new Traced(std::move(*ring), settings.limits);
    the_trace.store(begun, std::memory_order_release);
    know_first_communicators(settings.all);
    call_sink.store(begun, std::memory_order_release);
    return {};
}

void end_trace(const ClockOffset *at_end) {
    Traced *const ending = the_trace.exchange(nullptr);
    if (!ending) return;
    call_sink = nullptr;
    forget_messages();
    ending->end(at_end);
}

}
