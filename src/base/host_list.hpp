// SPDX-License-Identifier: BSD-3-Clause
// The list of hosts as a user writes it: "n1:2,n2".
#pragma once

#include "base/error.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace nereus {

inline constexpr int most_slots = 1 << 20;

struct Host {
    std::string name;
    int slots = 1; ///< processes that it may have, 1 .. most_slots

    bool operator==(const Host &) const = default;
};

/// What tells a host from others: its name up to the first ".". An address as 10.0.0.1 counts whole.
std::string_view own_part(std::string_view name);

/// Whether two names are of one host: own_part() is the same.
bool same_host(const std::string &a, const std::string &b);

/// Hosts of "name:slots,name,..." in the order of the text; slots are 1 where not said; none for "".
/// NEREUS_ERR_ARGUMENT naming what is wrong: no name, a name that no host can have, a host twice, or bad slots.
Result<std::vector<Host>> read_hosts(const std::string &text);

/// "name:slots,..." as read_hosts() takes it.
std::string text_of(const std::vector<Host> &hosts);

}
