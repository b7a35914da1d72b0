// SPDX-License-Identifier: BSD-3-Clause
// `placement` = measured: where newcomers go and who becomes which rank, by what ranks sent each other (Bosilca et al.
// 2017, section 6.3). On rank 0.
#pragma once

#include "base/host_list.hpp"
#include "job/resize/job_state.hpp"

#include <string>
#include <vector>

namespace nereus::job {

using HostNames = std::vector<std::string>;

/// Hosts of processes that are to be made, those of one host in a row: as compact or as spread has them, whichever lets
/// less go between hosts.
///
/// @param there  hosts of the processes that go on or are woken
Result<HostNames> hosts_by_traffic(const std::vector<Host> &hosts, const HostNames &there, int wanted,
                                   bool oversubscribe, const plan::Sizes &sizes, const TrafficHistory &sent);

/// Who becomes which rank, and what is to be told of it.
struct Order {
    plan::Sizes sizes;
    double usual_between_hosts = -1;
    double between_hosts = -1;
    std::string how;
};

/// The usual order, unless another one is foreseen to save more bytes between hosts, in a generation that lasts as long
/// as this one, than it moves more of the arrays between them; and at least 2 % of what goes there.
///
/// @param usual  who becomes which rank without it
Order order_by_traffic(const plan::Sizes &usual, const JobState &job, const HostNames &hosts_of_newcomers);

void write_into(nereus_resize_report &report, const Order &order);

}
