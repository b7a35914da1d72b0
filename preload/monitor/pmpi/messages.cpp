// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/messages.hpp"

#include "pmpi/handle.hpp"
#include "pmpi/thread.hpp"

#include <algorithm>
#include <mutex>
#include <tsl/robin_map.h>
#include <vector>

namespace nereus::pmpi {
namespace {

/// A receive that is under way, or a persistent request.
struct Pending {
    std::uint32_t group = 0;  ///< 0: it is none that is followed
    std::uint32_t number = 0; ///< of the receive; 0: it is not under way
    bool is_persistent = false;
    bool is_send = false;
    Message sent{}; ///< at each start of a persistent send
};

/// What a matched probe found.
struct Matched {
    std::uint32_t group = 0; ///< 0: it was found before the trace began
    std::uint32_t number = 0;
};

struct Followed {
    std::mutex guard;
    std::uint32_t posted = 0; ///< receives
    tsl::robin_map<std::uint64_t, Pending> requests;
    tsl::robin_map<std::uint64_t, Matched> matched;
};

Followed &followed() {
    static auto *of_this_process = new Followed;
    return *of_this_process;
}

/// What a call has in its hands.
struct InCall {
    std::vector<std::uint64_t> handles;
    std::vector<Pending> requests; ///< of these handles
    std::vector<MPI_Status> statuses;
    Matched taken;
    std::uint32_t number = 0; ///< of a blocking receive
};

// Without destructors, so that calls can be made when those of the thread have run (see thread.cpp).
thread_local InCall *current_call = nullptr;

struct OwnedInCall {
    InCall call;
    ~OwnedInCall() { current_call = new InCall; } // what a call behind this one needs is not given back
};

InCall &in_call() {
    if (!current_call) {
        static thread_local OwnedInCall owned;
        current_call = &owned.call;
    }
    return *current_call;
}

std::uint32_t group_of(MPI_Comm comm) { return Thread::here().members(comm).number(); }

std::uint64_t bytes_in(const MPI_Status &status) {
    MPI_Count bytes = 0;
    PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
    return bytes > 0 ? static_cast<std::uint64_t>(bytes) : 0;
}

/// From MPI_PROC_NULL nothing comes, and a receive may have been cancelled.
bool is_message(const MPI_Status &status) {
    int was_cancelled = 0;
    PMPI_Test_cancelled(&status, &was_cancelled);
    return !was_cancelled && status.MPI_SOURCE >= 0;
}

void tell(std::uint32_t group, std::uint32_t number, const MPI_Status &status) {
    Traced *const to = trace();
    if (to && is_message(status)) to->received({group, status.MPI_SOURCE, status.MPI_TAG, bytes_in(status), number});
}

std::uint32_t next_number() {
    const std::lock_guard lock(followed().guard);
    return ++followed().posted;
}

void follow(MPI_Request request, const Pending &pending) {
    const std::lock_guard lock(followed().guard);
    followed().requests[handle_word(request)] = pending;
}

}

MPI_Status *own_status(MPI_Status *status) { return own_statuses(1, status); }

MPI_Status *own_statuses(int number, MPI_Status *statuses) {
    if (statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE) return statuses;
    std::vector<MPI_Status> &own = in_call().statuses;
    const auto wanted = static_cast<std::size_t>(std::max(number, 1));
    if (own.size() < wanted) own.resize(wanted);
    return own.data();
}

void receiving() { in_call().number = next_number(); }
void received(MPI_Comm comm, const MPI_Status &status) { tell(group_of(comm), in_call().number, status); }
void posted(MPI_Comm comm, MPI_Request request) { follow(request, {.group = group_of(comm), .number = next_number()}); }

void matched(MPI_Comm comm, MPI_Message message) {
    const Matched found{group_of(comm), next_number()};
    const std::lock_guard lock(followed().guard);
    followed().matched[handle_word(message)] = found;
}

void taking(MPI_Message message) {
    const std::lock_guard lock(followed().guard);
    const auto found = followed().matched.find(handle_word(message));
    in_call().taken = found == followed().matched.end() ? Matched{} : found->second;
    if (found != followed().matched.end()) followed().matched.erase(found);
}
void received_taken(const MPI_Status &status) {
    const Matched taken = in_call().taken;
    if (taken.group != 0) tell(taken.group, taken.number, status);
}
void posted_taken(MPI_Request request) {
    const Matched taken = in_call().taken;
    if (taken.group != 0) follow(request, {.group = taken.group, .number = taken.number});
}

void take_requests(int number, const MPI_Request *requests) {
    InCall &call = in_call();
    call.handles.clear();
    call.requests.clear();
    const std::lock_guard lock(followed().guard);
    for (int i = 0; i < number; ++i) {
        call.handles.push_back(handle_word(requests[i]));
        const auto found = followed().requests.find(call.handles.back());
        call.requests.push_back(found == followed().requests.end() ? Pending{} : found->second);
        if (found != followed().requests.end()) followed().requests.erase(found);
    }
}

void completed_one(int index, const MPI_Status &status) {
    InCall &call = in_call();
    if (index < 0 || static_cast<std::size_t>(index) >= call.requests.size()) return; // MPI_UNDEFINED: none
    Pending &done = call.requests[static_cast<std::size_t>(index)];
    if (done.number != 0) tell(done.group, done.number, status);
    if (!done.is_persistent) done = {};
    done.number = 0;
}

void completed_all(const MPI_Status *statuses) {
    for (std::size_t i = 0; i < in_call().requests.size(); ++i) completed_one(static_cast<int>(i), statuses[i]);
}

void completed_some(int number, const int *indices, const MPI_Status *statuses) {
    for (int i = 0; i < number; ++i) completed_one(indices[i], statuses[i]);
}

void requests_started(const MPI_Request *requests) {
    InCall &call = in_call();
    for (std::size_t i = 0; i < call.requests.size(); ++i) {
        Pending &started = call.requests[i];
        if (!started.is_persistent) continue;
        if (started.is_send && trace()) trace()->sent(started.sent);
        if (!started.is_send) started.number = next_number();
        call.handles[i] = handle_word(requests[i]);
    }
}

void put_back_requests(const MPI_Request *requests) {
    InCall &call = in_call();
    const std::lock_guard lock(followed().guard);
    for (std::size_t i = 0; i < call.requests.size(); ++i)
        // One that is another one now, or none, ended with an error.
        if (call.requests[i].group != 0 && handle_word(requests[i]) == call.handles[i])
            followed().requests[call.handles[i]] = call.requests[i];
    call.requests.clear();
}

void send_made(MPI_Comm comm, int to, int tag, std::uint64_t bytes, MPI_Request request) {
    if (to < 0) return; // MPI_PROC_NULL
    const std::uint32_t group = group_of(comm);
    follow(request, {.group = group, .is_persistent = true, .is_send = true, .sent = {group, to, tag, bytes}});
}

void receive_made(MPI_Comm comm, MPI_Request request) {
    follow(request, {.group = group_of(comm), .is_persistent = true});
}

void request_freed(MPI_Request request) {
    const std::lock_guard lock(followed().guard);
    followed().requests.erase(handle_word(request));
}

void communicator_made(MPI_Comm comm) {
    if (comm == MPI_COMM_NULL) return;
    forget_begun({comm});
    members_of(Communicator{comm}).scope();
}

void communicator_begun(MPI_Comm comm) {
    if (comm != MPI_COMM_NULL) begin_numbered({comm});
}

void forget_messages() {
    const std::lock_guard lock(followed().guard);
    followed().requests.clear();
    followed().matched.clear();
}

}
