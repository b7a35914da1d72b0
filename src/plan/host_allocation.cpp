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

bool is_among(const std::vector<std::string> &names, const std::string &host) {
    return std::ranges::any_of(names, [&](const std::string &name) { return same_host(name, host); });
}

Result<std::vector<Host>> changed(std::vector<Host> list, const HostChange &change) {
    for (const Host &host : change.more) {
        const auto there = find_host(list, host);
        if (there == list.end())
            list.push_back(host);
        else
            there->slots = host.slots;
    }
    for (const std::string &name : change.fewer) {
        const auto there = find_host(list, {name});
        if (there == list.end()) return failed(NEREUS_ERR_ARGUMENT, name + " is none of the job's hosts");
        list.erase(there);
    }
    return list;
}

std::vector<Host> changed_back(const std::vector<Host> &list, const HostChange &change,
                               const std::vector<Host> &before) {
    std::vector<Host> left;
    for (const Host &host : list) {
        const auto former = find_host(before, host);
        if (find_host(change.more, host) == change.more.end())
            left.push_back(host);
        else if (former != before.end())
            left.push_back(*former);
    }
    for (const Host &host : before)
        if (is_among(change.fewer, host.name) && find_host(left, host) == left.end()) left.push_back(host);
    return left;
}

std::vector<int> kept_elsewhere(const std::vector<std::string> &host_of_source, const std::vector<std::string> &hosts,
                                int drains) {
    std::vector<int> kept;
    for (std::size_t source = 0; source < host_of_source.size() && std::ssize(kept) < drains; ++source)
        if (!is_among(hosts, host_of_source[source])) kept.push_back(static_cast<int>(source));
    return kept;
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
