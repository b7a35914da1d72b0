// SPDX-License-Identifier: BSD-3-Clause
// Which process becomes which rank, so that ranks that send each other much are on one host.
//
// Which processes there are, and on which hosts, is settled; so each host has as many ranks in any order. Hosts count
// alone: what is sent within one costs nothing. Rank 0 stays the process that it is.
#pragma once

#include "plan/mapping/traffic.hpp"
#include "plan/matching.hpp"
#include "plan/sizes.hpp"

#include <vector>

namespace nereus::plan {

/// Numbers of hosts, one for each rank or process.
using HostNumbers = std::vector<int>;

/// What goes from one host to another.
double between_hosts(const mapping::Traffic &traffic, const HostNumbers &host_of_rank);

/// No order of the ranks over the hosts lets less go between them, where each host has as many ranks as here.
///
/// Of a host's n ranks none can have more beside it than its n - 1 heaviest peers; of all the ranks, the ones that have
/// the heaviest of them are taken to be on the largest hosts.
double least_between_hosts(const mapping::Traffic &traffic, const HostNumbers &host_of_rank);

/// An order of the ranks in which less goes between hosts, where one is found: TreeMatch's (mapping/treematch.hpp) or
/// the one given, whichever swaps make better.
HostNumbers placed_by(const mapping::Traffic &traffic, const HostNumbers &host_of_rank);

/// The same sets of ranks on other hosts that have as many, so that fewer bytes go to another host to reach their
/// drains.
///
/// @param overlaps  what stays if a source goes on as a drain
HostNumbers with_least_moved(const HostNumbers &host_of_drain, const std::vector<Overlap> &overlaps,
                             const HostNumbers &host_of_source);

/// Sizes in which each drain is a process of the host that is wanted for it; among the processes of a host so that most
/// bytes stay in one process.
///
/// @param sizes      who goes on and how many are made; the order in it does not count, but that drain 0 stays who it
/// is
/// @param overlaps   what stays if a source goes on as a drain
/// @param wanted     host of each drain; as many on each host as there are processes
Sizes with_order(const Sizes &sizes, const std::vector<Overlap> &overlaps, const HostNumbers &host_of_source,
                 const HostNumbers &host_of_newcomer, const HostNumbers &wanted);

/// Bytes that go to another host to reach their drains.
///
/// @param host_of_drain  of the process that is that drain
std::int64_t moved_between_hosts(const std::vector<Overlap> &overlaps, const HostNumbers &host_of_source,
                                 const HostNumbers &host_of_drain);

}
