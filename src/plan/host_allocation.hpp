// SPDX-License-Identifier: BSD-3-Clause
// On which host each newcomer of a resize goes, by the job's list of hosts and the processes it has there.
#pragma once

#include "base/host_list.hpp"

#include <string>
#include <vector>

namespace nereus::plan {

using nereus::Host;
using nereus::read_hosts;
using nereus::same_host;

enum class Placement { compact, spread }; ///< numbers of enum nereus_placement

/// What a resize makes of a job's list of hosts.
struct HostChange {
    std::vector<Host> more{};
    std::vector<std::string> fewer{}; ///< names

    bool empty() const { return more.empty() && fewer.empty(); }
};

/// `list` and then those of `change.more` that it has not, without `change.fewer`; a host that is there already keeps
/// its place and gets the new number of slots. NEREUS_ERR_ARGUMENT where one of `fewer` is not there.
Result<std::vector<Host>> changed(std::vector<Host> list, const HostChange &change);

/// `list` without what changed(before, change) made of it; what others changed since stays.
std::vector<Host> changed_back(const std::vector<Host> &list, const HostChange &change,
                               const std::vector<Host> &before);

/// Whether a host is among `names`.
bool is_among(const std::vector<std::string> &names, const std::string &host);

/// Merge: the first `drains` sources that are on none of the hosts, as Sizes has them. There must be as many, and
/// source 0 must be one of them.
std::vector<int> kept_elsewhere(const std::vector<std::string> &host_of_source, const std::vector<std::string> &hosts,
                                int drains);

/// Slots of the list that no process has. Processes on hosts outside the list do not count; a host with more
/// processes than slots has none free.
int free_slots(const std::vector<Host> &hosts, const std::vector<std::string> &host_of_rank);

/// Host of each newcomer in rank order; all "" without a list.
///
/// compact: hosts are filled up to their slots in the order of the list. spread: each newcomer goes to the host with
/// the fewest processes that has a free slot, the first of the list among equals. When all slots are taken and
/// `oversubscribe` is set, it goes to the host with the fewest processes per slot. With `grouped`, newcomers on one
/// host are consecutive, in the order of the list, so that they can be one party (plan/parties.hpp); how many come
/// to each host is the same. NEREUS_ERR_RANGE with the numbers when slots are too few and `oversubscribe` is not set.
Result<std::vector<std::string>> place(const std::vector<Host> &hosts, const std::vector<std::string> &host_of_rank,
                                       int newcomers, Placement placement, bool oversubscribe, bool grouped);

}
