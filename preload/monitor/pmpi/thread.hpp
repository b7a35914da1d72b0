// SPDX-License-Identifier: BSD-3-Clause
// What one thread remembers of communicators and peers, so that a send costs two look-ups at most.
#pragma once

#include "pmpi/handle.hpp"
#include "pmpi/members.hpp"
#include "pmpi/sensor.hpp"

#include <array>
#include <memory>
#include <tsl/robin_map.h>

namespace nereus::pmpi {

/// Of a collective call, without its peer if it has one.
monitor::Address address_in(monitor::Call call, monitor::Reach reach, const Members &members);

class Thread {
public:
    /// That of the caller; also where MPI is called when the thread's own memory is gone, as by destructors of globals.
    static Thread &here();

    monitor::Shard &shard() { return *shard_; }

    const Members &members(MPI_Comm comm) { return known(Communicator{comm}); }

    /// Of messages of one kind to a rank, oblivious to communicators.
    monitor::Cell *cell(monitor::Kind kind, const Members &members, int rank) {
        const std::uint64_t key = std::uint64_t{members.number()} << 35 | static_cast<std::uint64_t>(rank) << 3 |
                                  static_cast<std::uint64_t>(kind);
        const auto found = cells_.find(key);
        if (found != cells_.end()) return found->second;
        return cells_[key] = cell_of(kind, members, rank);
    }

    /// The same by the communicator or window itself: one look where the rank was sent to just before.
    template <class Handle> monitor::Cell *cell(monitor::Kind kind, Handle of, int rank) {
        const std::uint64_t what = static_cast<std::uint64_t>(rank) << 3 | static_cast<std::uint64_t>(kind);
        Recent &recent = (*recent_)[(static_cast<unsigned>(rank) ^ static_cast<unsigned>(kind) << 3) % most_recent];
        if (!recent.is(of.handle, what)) recent = {handle_word(of.handle), what, cell(kind, known(of), rank)};
        return recent.cell;
    }

    /// Of calls of one kind on a communicator, whose messages go to no single peer.
    monitor::Cell *cell(monitor::Call call, monitor::Reach reach, const Members &members) {
        const std::uint64_t key = std::uint64_t{members.number()} << 35 | static_cast<std::uint64_t>(call) << 6 |
                                  static_cast<std::uint64_t>(reach) << 3 | no_kind;
        const auto found = cells_.find(key);
        if (found != cells_.end()) return found->second;
        return cells_[key] = cell_of(call, reach, members);
    }

    monitor::Cell *cell(monitor::Call call, monitor::Reach reach, Communicator of) {
        const std::uint64_t what =
            static_cast<std::uint64_t>(call) << 6 | static_cast<std::uint64_t>(reach) << 3 | no_kind;
        Recent &recent = (*recent_)[static_cast<unsigned>(call) * 4 + static_cast<unsigned>(reach)];
        if (!recent.is(of.handle, what)) recent = {handle_word(of.handle), what, cell(call, reach, known(of))};
        return recent.cell;
    }

private:
    static constexpr std::uint64_t no_kind = 7; ///< in the place of a kind, where the key is that of a call
    static constexpr unsigned most_recent = 64;

    struct Recent {
        std::uint64_t handle = 0;
        std::uint64_t what = ~std::uint64_t{0};
        monitor::Cell *cell = nullptr;

        template <class Handle> bool is(Handle other, std::uint64_t other_what) const {
            return handle == handle_word(other) && what == other_what;
        }
    };
    using Recents = std::array<Recent, most_recent>;

    /// Handles of different kinds differ as words too, in all MPIs.
    template <class Handle> const Members &known(Handle handle) {
        const std::uint64_t key = handle_word(handle.handle);
        const auto found = members_.find(key);
        if (found != members_.end()) return *found->second;
        return *(members_[key] = &members_of(handle));
    }

    void refresh();
    monitor::Cell *cell_of(monitor::Kind kind, const Members &members, int rank);
    monitor::Cell *cell_of(monitor::Call call, monitor::Reach reach, const Members &members);

    std::uint64_t version_ = 0; ///< at which the rest was right
    monitor::Shard *shard_ = nullptr;
    tsl::robin_map<std::uint64_t, const Members *> members_;
    tsl::robin_map<std::uint64_t, monitor::Cell *> cells_;
    std::unique_ptr<Recents> recent_ = std::make_unique<Recents>(); ///< apart: a thread has little memory of its own
};

}
