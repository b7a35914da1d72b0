// SPDX-License-Identifier: BSD-3-Clause
// What an arena says at a moment: its cells, added up over threads.
#pragma once

#include "record/arena.hpp"

#include <map>

namespace nereus::monitor {

struct Count {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
    std::array<std::uint64_t, bins> histogram{};

    Count &operator+=(const Count &other);
    Count &operator-=(const Count &other); ///< of what was counted before
    bool operator==(const Count &) const = default;
};

using Totals = std::map<Address, Count>;

Totals totals(const Arena &arena);

/// What was counted after `before` was taken; what did not change is left out.
Totals since(Totals now, const Totals &before);

/// What one address had in one window: messages and bytes.
struct InWindow {
    std::uint64_t messages = 0;
    std::uint64_t bytes = 0;
};

/// By window, then by address; the window that is still open is there too.
std::map<std::uint32_t, std::map<Address, InWindow>> windows(const Arena &arena);

}
