// SPDX-License-Identifier: BSD-3-Clause
// The windows through which drains read: made once for an array on a communicator, and kept until their owner lets go.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nereus::transfer {

/// What a process lets others read of an array; nothing on those who have no old part.
struct Exposed {
    std::string name;
    const std::byte *part;
    std::int64_t bytes;
};

/// A copy is another handle of the same windows. Not for two transfers at a time.
class Windows {
public:
    Windows();

    /// Collective over `comm`: a window for each array, in their order. A window that was made before on `comm` under
    /// the same name is taken again where each process exposes the same memory.
    Result<std::vector<MPI_Win>> open(MPI_Comm comm, const std::vector<Exposed> &arrays, const Deadline &deadline);

    /// Collective over each communicator that windows were made on, which must still be there; so must the memory.
    void reset();

    /// Leaves the windows where they are for ever: somebody may be dead. Copies still have them.
    void abandon();

private:
    struct Store;
    std::shared_ptr<Store> store_;
};

}
