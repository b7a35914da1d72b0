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

/// `list` and then those of `more` that it has not; a host that is there already keeps its place and gets the new
/// number of slots.
std::vector<Host> with_added(std::vector<Host> list, const std::vector<Host> &more);

/// `list` without what with_added(before, more) put into it; what others added since stays.
std::vector<Host> with_taken_back(const std::vector<Host> &list, const std::vector<Host> &more,
                                  const std::vector<Host> &before);

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
