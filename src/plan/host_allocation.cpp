// SPDX-License-Identifier: BSD-3-Clause
#include "plan/host_allocation.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace nereus::plan {
namespace {

/// Processes on each host of the list.
using Loads = std::vector<int>;

Loads loads_of(const std::vector<Host> &hosts, const std::vector<std::string> &host_of_rank) {
    std::map<std::string, int> processes;
    for (const std::string &name : host_of_rank) ++processes[name];
    Loads loads;
    for (const Host &host : hosts)
        loads.push_back(std::accumulate(processes.begin(), processes.end(), 0, [&](int sum, const auto &entry) {
            return sum + (same_host(entry.first, host.name) ? entry.second : 0);
        }));
    return loads;
}

int free_on(const Host &host, int load) { return std::max(0, host.slots - load); }

/// Their sum may not fit in an int; no job wants more than an int holds.
int free_in_all(const std::vector<Host> &hosts, const Loads &loads) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < hosts.size(); ++i) sum += free_on(hosts[i], loads[i]);
    return static_cast<int>(std::min<std::int64_t>(sum, INT32_MAX));
}

bool has_free_slot(const Host &host, int load) { return free_on(host, load) > 0; }

/// Number of the host for the next process; slots are free somewhere.
std::size_t next_within_slots(const std::vector<Host> &hosts, const Loads &loads, Placement placement) {
    std::size_t best = hosts.size();
    for (std::size_t i = 0; i < hosts.size(); ++i) {
        if (!has_free_slot(hosts[i], loads[i])) continue;
        if (placement == Placement::compact) return i;
        if (best == hosts.size() || loads[i] < loads[best]) best = i;
    }
    return best;
}

/// Number of the host with the fewest processes per slot.
std::size_t least_crowded(const std::vector<Host> &hosts, const Loads &loads) {
    std::size_t best = 0;
    for (std::size_t i = 1; i < hosts.size(); ++i)
        if (std::int64_t{loads[i]} * hosts[best].slots < std::int64_t{loads[best]} * hosts[i].slots) best = i;
    return best;
}

std::string counted(std::int64_t number, const std::string &one, const std::string &many) {
    return std::to_string(number) + " " + (number == 1 ? one : many);
}

tl::unexpected<Error> too_few(const std::vector<Host> &hosts, int newcomers, int free) {
    const auto slots = std::accumulate(hosts.begin(), hosts.end(), std::int64_t{0},
                                       [](std::int64_t sum, const Host &host) { return sum + host.slots; });
    return failed(NEREUS_ERR_RANGE, counted(newcomers, "process is", "processes are") + " wanted, but " +
                                        std::to_string(free) + " of the " + counted(slots, "slot", "slots") + " of " +
                                        counted(static_cast<std::int64_t>(hosts.size()), "host", "hosts") +
                                        (free == 1 ? " is free" : " are free"));
}

/// The one of `list` that is the same host, or its end.
auto find_host(auto &list, const Host &host) {
    return std::ranges::find_if(list, [&](const Host &each) { return same_host(each.name, host.name); });
}

}

std::vector<Host> with_added(std::vector<Host> list, const std::vector<Host> &more) {
    for (const Host &host : more) {
        const auto there = find_host(list, host);
        if (there == list.end())
            list.push_back(host);
        else
            there->slots = host.slots;
    }
    return list;
}

std::vector<Host> with_taken_back(const std::vector<Host> &list, const std::vector<Host> &more,
                                  const std::vector<Host> &before) {
    std::vector<Host> left;
    for (const Host &host : list) {
        const auto former = find_host(before, host);
        if (find_host(more, host) == more.end())
            left.push_back(host);
        else if (former != before.end())
            left.push_back(*former);
    }
    return left;
}

int free_slots(const std::vector<Host> &hosts, const std::vector<std::string> &host_of_rank) {
    return free_in_all(hosts, loads_of(hosts, host_of_rank));
}

Result<std::vector<std::string>> place(const std::vector<Host> &hosts, const std::vector<std::string> &host_of_rank,
                                       int newcomers, Placement placement, bool oversubscribe, bool grouped) {
    if (hosts.empty()) return std::vector<std::string>(static_cast<std::size_t>(newcomers));
    Loads loads = loads_of(hosts, host_of_rank);
    const int free = free_in_all(hosts, loads);
    if (newcomers > free && !oversubscribe) return too_few(hosts, newcomers, free);

    std::vector<std::size_t> chosen;
    for (int i = 0; i < newcomers; ++i) {
        chosen.push_back(i < free ? next_within_slots(hosts, loads, placement) : least_crowded(hosts, loads));
        ++loads[chosen.back()];
    }
    if (grouped) std::ranges::sort(chosen);

    std::vector<std::string> names;
    for (const std::size_t host : chosen) names.push_back(hosts[host].name);
    return names;
}

}
