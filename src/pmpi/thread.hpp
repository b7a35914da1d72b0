// SPDX-License-Identifier: BSD-3-Clause
// What one thread remembers of communicators and peers, so that a send costs two look-ups at most.
#pragma once

#include "pmpi/handle.hpp"
#include "pmpi/members.hpp"
#include "pmpi/sensor.hpp"

#include <tsl/robin_map.h>

namespace nereus::pmpi {

class Thread {
public:
    /// That of the caller.
    static Thread &here();

    monitor::Shard &shard() { return *shard_; }

    const Members &members(MPI_Comm comm) { return known(Communicator{comm}); }
    const Members &members_of_window(MPI_Win window) { return known(Window{window}); }

    /// Of messages of one kind to a rank, oblivious to communicators.
    monitor::Cell *cell(monitor::Kind kind, const Members &members, int rank) {
        const std::uint64_t key = std::uint64_t{members.number()} << 35 | static_cast<std::uint64_t>(rank) << 3 |
                                  static_cast<std::uint64_t>(kind);
        const auto found = cells_.find(key);
        if (found != cells_.end()) return found->second;
        return cells_[key] = cell_of(kind, members, rank);
    }

private:
    /// Handles of different kinds differ as words too, in all MPIs.
    template <class Handle> const Members &known(Handle handle) {
        const std::uint64_t key = handle_word(handle.handle);
        const auto found = members_.find(key);
        if (found != members_.end()) return *found->second;
        return *(members_[key] = &members_of(handle));
    }

    void refresh();
    monitor::Cell *cell_of(monitor::Kind kind, const Members &members, int rank);

    std::uint64_t version_ = 0; ///< at which the rest was right
    monitor::Shard *shard_ = nullptr;
    tsl::robin_map<std::uint64_t, const Members *> members_;
    tsl::robin_map<std::uint64_t, monitor::Cell *> cells_;
};

}
