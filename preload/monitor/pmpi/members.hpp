// SPDX-License-Identifier: BSD-3-Clause
// Who belongs to a communicator or a window: found out when its handle is first seen, by calls that are local.
#pragma once

#include "pmpi/handle.hpp"
#include "record/cell.hpp"

#include <cstdint>
#include <memory>
#include <mpi.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <vector>

namespace nereus::pmpi {

class Members {
public:
    explicit Members(Communicator comm);
    explicit Members(Window window);
    ~Members();
    Members(const Members &) = delete;
    Members &operator=(const Members &) = delete;

    /// Number of the communicator or window among all that this process used, from 1: never used again.
    std::uint32_t number() const { return number_; }
    /// Of this process among its own side.
    int rank() const { return rank_; }
    /// Processes that it can send to: the other side's, where the communicator has two sides.
    int size() const { return size_; }
    bool has_two_sides() const { return has_two_sides_; }
    bool is_self(int other) const { return !has_two_sides_ && other == rank_; }

    /// Which process of which world has the rank (worlds.hpp).
    std::uint64_t peer(int rank) const;

    /// Ranks that a neighbourhood collective sends to, in its order; MPI_PROC_NULL where there is none.
    const std::vector<int> &neighbours() const;

    /// Tells the record of this communicator, once; its number is what cells have as their scope.
    std::uint32_t scope() const;

private:
    void tell() const;
    nlohmann::ordered_json own_side() const;

    std::uint32_t number_;
    MPI_Comm comm_ = MPI_COMM_NULL; ///< as long as it lives; MPI_COMM_NULL for a window
    MPI_Group group_ = MPI_GROUP_NULL;
    int rank_ = 0, size_ = 0;
    bool has_two_sides_ = false;
    mutable std::once_flag told_, asked_for_neighbours_;
    mutable std::vector<int> neighbours_;
};

/// Those of a handle; kept until the communicator or window is freed.
const Members &members_of(Communicator comm);
const Members &members_of(Window window);

/// A communicator that cannot be asked yet gets the number that it will have; forgotten where it was never asked for.
void begin_numbered(Communicator comm);
void forget_begun(Communicator comm);

/// Changes when what this thread knows of handles or processes may be wrong by now.
std::uint64_t version();
void new_version();

/// Forgets all handles; behind it, none may be asked for.
void forget_members();

}
