// SPDX-License-Identifier: BSD-3-Clause
// nereus/monitor.h. Exceptions do not cross it: there is nothing in it that throws but for want of memory.
#include "pmpi/activities.hpp"
#include "pmpi/io_phases.hpp"
#include "pmpi/members.hpp"
#include "pmpi/present.hpp"
#include "pmpi/sensor.hpp"
#include "record/pairs.hpp"
#include "record/session.hpp"

#include <algorithm>
#include <nereus/monitor.h>
#include <new>
#include <unordered_map>

using namespace nereus;

struct nereus_monitor_session {
    explicit nereus_monitor_session(const monitor::Arena &arena) : counted(arena) {}
    monitor::Session counted;
};

namespace {

static_assert(NEREUS_MONITOR_SIZES == monitor::bins);
static_assert(NEREUS_GET == static_cast<int>(monitor::Kind::get));

/// What `action` returns, unless there is no record.
template <class Action> int recorded(Action action) {
    if (!pmpi::has_record()) return NEREUS_ERR_STATE;
    try {
        return action();
    } catch (const std::bad_alloc &) {
        return NEREUS_ERR_MEMORY;
    }
}

template <class Action> int guarded(const nereus_monitor_session *session, Action action) {
    return session ? recorded(action) : NEREUS_ERR_ARGUMENT;
}

bool has_one_side(MPI_Comm comm) {
    int two_sides = 0;
    if (comm != MPI_COMM_NULL) PMPI_Comm_test_inter(comm, &two_sides);
    return comm != MPI_COMM_NULL && !two_sides;
}

nereus_monitor_pair told(const monitor::Pair &pair, const monitor::Count &count) {
    nereus_monitor_pair row{};
    row.kind = static_cast<int>(pair.kind);
    row.world = static_cast<int>(pair.peer >> 32);
    row.rank = static_cast<int>(pair.peer & 0xffffffff);
    row.generation = static_cast<int>(pair.generation);
    row.phase = pair.phase;
    row.messages = count.messages;
    row.bytes = count.bytes;
    std::copy(count.histogram.begin(), count.histogram.end(), row.histogram);
    return row;
}

/// What counts of the present generation: of collectives their messages, or else the calls.
using Sent = std::unordered_map<std::uint64_t, monitor::Count>; ///< by peer

Sent sent_in_this_generation() {
    const auto all = monitor::pairs(monitor::totals(pmpi::record().arena()), pmpi::record().arena());
    const auto generation = pmpi::address_now(monitor::Kind::point_to_point).generation;
    const auto is_now = [&](const auto &entry) { return entry.first.generation == generation; };
    const bool sees_messages = std::ranges::any_of(
        all, [&](const auto &entry) { return is_now(entry) && entry.first.kind == monitor::Kind::decomposed; });
    const auto left_out = sees_messages ? monitor::Kind::collective : monitor::Kind::decomposed;
    Sent sent;
    for (const auto &entry : all)
        if (is_now(entry) && entry.first.kind != left_out) sent[entry.first.peer] += entry.second;
    return sent;
}

}

extern "C" {
#pragma GCC visibility push(default)

int nereus_monitor_open(nereus_monitor_session **session) {
    if (!session) return NEREUS_ERR_ARGUMENT;
    *session = nullptr;
    if (!pmpi::has_record()) return NEREUS_ERR_STATE;
    *session = new (std::nothrow) nereus_monitor_session(pmpi::record().arena());
    return *session ? nereus_monitor_start(*session) : NEREUS_ERR_MEMORY;
}

int nereus_monitor_start(nereus_monitor_session *session) {
    return guarded(session, [&] {
        const bool was_running = session->counted.is_running();
        session->counted.start();
        return was_running ? NEREUS_UNCHANGED : NEREUS_OK;
    });
}

int nereus_monitor_stop(nereus_monitor_session *session) {
    return guarded(session, [&] {
        const bool was_running = session->counted.is_running();
        session->counted.stop();
        return was_running ? NEREUS_OK : NEREUS_UNCHANGED;
    });
}

int nereus_monitor_reset(nereus_monitor_session *session) {
    return guarded(session, [&] {
        session->counted.reset();
        return NEREUS_OK;
    });
}

int nereus_monitor_read(const nereus_monitor_session *session, nereus_monitor_pair *pairs, int *number) {
    return guarded(session, [&] {
        if (!number || *number < 0 || (!pairs && *number > 0)) return NEREUS_ERR_ARGUMENT;
        const int room = *number;
        *number = 0;
        for (const auto &[pair, count] : monitor::pairs(session->counted.read(), pmpi::record().arena())) {
            if (*number < room) pairs[*number] = told(pair, count);
            ++*number;
        }
        return NEREUS_OK;
    });
}

int nereus_monitor_sent(MPI_Comm comm, uint64_t *messages, uint64_t *bytes) {
    if (!has_one_side(comm)) return NEREUS_ERR_ARGUMENT;
    if (!pmpi::on()) return NEREUS_ERR_STATE;
    return recorded([&] {
        const Sent sent = sent_in_this_generation();
        const pmpi::Members &members = pmpi::members_of(pmpi::Communicator{comm});
        for (int rank = 0; rank < members.size(); ++rank) {
            const auto found = sent.find(members.peer(rank));
            const monitor::Count count = found == sent.end() ? monitor::Count{} : found->second;
            if (messages) messages[rank] = count.messages;
            if (bytes) bytes[rank] = count.bytes;
        }
        return NEREUS_OK;
    });
}

int nereus_monitor_close(nereus_monitor_session **session) {
    if (!session) return NEREUS_ERR_ARGUMENT;
    delete *session;
    *session = nullptr;
    return NEREUS_OK;
}

int nereus_monitor_record(int on) {
    if (!pmpi::has_record()) return NEREUS_ERR_STATE;
    return pmpi::recording.exchange(on != 0) == (on != 0) ? NEREUS_UNCHANGED : NEREUS_OK;
}

int nereus_monitor_phase(const char *name) {
    return recorded([&] { return pmpi::enter_phase(name ? name : "") ? NEREUS_OK : NEREUS_ERR_RANGE; });
}

int nereus_monitor_io(MPI_Comm comm, nereus_monitor_io_call call, void *context) {
    if (call && !has_one_side(comm)) return NEREUS_ERR_ARGUMENT;
    return recorded([&] {
        pmpi::follow_io(comm, call, context);
        return NEREUS_OK;
    });
}

int nereus_monitor_generation(MPI_Comm comm, const char *job, int generation) {
    if (!job || generation < 0 || !has_one_side(comm)) return NEREUS_ERR_ARGUMENT;
    return recorded([&] {
        const bool is_new = pmpi::enter_generation(comm, job, static_cast<std::uint32_t>(generation));
        return is_new ? NEREUS_OK : NEREUS_UNCHANGED;
    });
}

int nereus_monitor_state(const char *activity, const char *state) {
    if (!activity || !pmpi::is_activity(activity)) return NEREUS_ERR_ARGUMENT;
    return recorded([&] { return pmpi::enter_state(activity, state ? state : ""); });
}

int nereus_monitor_iteration(uint64_t number) {
    return recorded([&] { return pmpi::begin_iteration(number) ? NEREUS_OK : NEREUS_UNCHANGED; });
}

#pragma GCC visibility pop
}
