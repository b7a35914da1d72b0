// SPDX-License-Identifier: BSD-3-Clause
// The data of one process on its way through one resize.
//
// Everything new lives here, beside the registry, until adopt(): discarding a crossing leaves the old state untouched.
#pragma once

#include "base/settings.hpp"
#include "job/registry.hpp"
#include "plan/move.hpp"
#include "transfer/transfer.hpp"

#include <vector>

namespace nereus::job {

class Crossing {
public:
    Crossing(Registry &registry, plan::Sizes sizes, plan::Place place);
    Crossing(const Crossing &) = delete;
    Crossing &operator=(const Crossing &) = delete;
    ~Crossing() { discard(); }

    /// Memory for the new parts of a drain; NEREUS_ERR_MEMORY names the array.
    Done allocate();

    /// Collective over the lane: moves the constant or the variable arrays.
    Done move(bool constant, const transfer::Lane &lane, transfer::Method method, const Settings &settings, News news);

    /// Collective over the lane, after both moves: compares checksums.
    Done verify(const transfer::Lane &lane, const Settings &settings, News news);

    std::int64_t bytes_sent(bool constant) const;

    /// The new parts take the place of the old ones, which are released. Cannot fail.
    void adopt();

    /// Leaves the new parts where they are for ever: MPI may still write to them.
    void abandon() { next_.clear(); }

private:
    transfer::Shipment shipment_of(std::size_t index) const;
    bool travels(std::size_t index, bool constant) const;
    std::vector<transfer::Shipment> shipments(bool constant) const;
    bool keeps(std::size_t index) const;
    void discard();

    Registry &registry_;
    plan::Sizes sizes_;
    plan::Place place_;
    std::vector<plan::Move> moves_; ///< of each entry; values have none
    std::vector<void *> next_;      ///< new part of each entry; values have none
};

}
