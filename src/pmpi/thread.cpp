// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/thread.hpp"

#include "pmpi/present.hpp"

namespace nereus::pmpi {

Thread &Thread::here() {
    static thread_local Thread mine;
    if (mine.version_ != version()) mine.refresh();
    return mine;
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
