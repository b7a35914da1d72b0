// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/traced.hpp"

#include "base/clock.hpp"
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

/// Tells once that it is switched off: what was sent meanwhile is not known.
bool Traced::is_recording() {
    if (on()) {
        if (is_off_.load(std::memory_order_relaxed)) is_off_ = false;
        return true;
    }
    if (!is_off_.exchange(true)) mark("off", 0);
    return false;
}

void Traced::note(const monitor::CallShape &shape, Envelope envelope, monitor::Moment begin, monitor::Moment end) {
    last_call = {begin.wall, end.wall};
    if (!is_recording()) return;
    const std::int32_t peer = envelope.peer != monitor::CallShape::none ? envelope.peer : shape.peer;
    ring_->add({shape.call, begin.wall, end.wall, shape.bytes, shape.group,
                peer >= 0 ? peer : monitor::TraceEvent::no_peer, envelope.tag});
}

void Traced::note_in_vain(const monitor::CallShape &shape, monitor::Moment begin, monitor::Moment end) {
    if (is_recording()) ring_->add_in_vain({shape.call, begin.wall, end.wall, 0, shape.group});
}

void Traced::sent(const Message &message) { add("sent", last_call.begin, message); }
void Traced::received(const Message &message) { add("received", last_call.end, message); }

void Traced::add(const char *what, std::int64_t then, const Message &message) {
    if (is_recording())
        ring_->add({what, then, then, message.bytes, message.group, message.peer, message.tag, message.number});
}

void Traced::mark(const char *what, std::uint64_t number) {
    const std::int64_t now = ring_->now();
    ring_->add({what, now, now, number});
}

void Traced::end(const ClockOffset *at_end) {
    monitor::TraceHead &head = ring_->head();
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
    auto ring = monitor::EventRing::begin(
        {path, settings.most, settings.world, settings.host, boot_id(), settings.rank, settings.ranks});
    if (!ring) return tl::unexpected(ring.error());
    (*ring)->head().clock_offset = offset.nanoseconds;
    (*ring)->head().clock_error = offset.error;
    auto *begun = new Traced(std::move(*ring));
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
