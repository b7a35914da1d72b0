// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/thread.hpp"

#include "pmpi/present.hpp"

namespace nereus::pmpi {

namespace {

// Without destructors, so that they can be looked at when those of the thread have run.
thread_local Thread *current = nullptr;
thread_local bool has_ended = false;

struct Owned {
    Thread thread;
    ~Owned() {
        current = nullptr;
        has_ended = true;
    }
};

Thread *make() {
    if (has_ended) return new Thread;
    static thread_local Owned owned;
    return &owned.thread;
}

}

Thread &Thread::here() {
    if (!current) current = make();
    if (current->version_ != version()) current->refresh();
    return *current;
}

void Thread::refresh() {
    version_ = version();
    shard_ = &record().here();
    members_.clear();
    cells_.clear();
    recent_->fill({});
}

monitor::Cell *Thread::cell_of(monitor::Kind kind, const Members &members, int rank) {
    monitor::Address address = address_now(kind);
    address.peer = members.peer(rank);
    return shard_->cell(address);
}

monitor::Cell *Thread::cell_of(monitor::Call call, monitor::Reach reach, const Members &members) {
    return shard_->cell(address_in(call, reach, members));
}

monitor::Address address_in(monitor::Call call, monitor::Reach reach, const Members &members) {
    monitor::Address address = address_now(monitor::Kind::collective);
    address.call = call;
    address.reach = reach;
    address.scope = members.scope();
    return address;
}

}
