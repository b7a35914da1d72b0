// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/newcomers.hpp"

#include "base/strategies.hpp"
#include "job/resize/rank_reordering.hpp"
#include "mpi/share.hpp"
#include "mpi/threads.hpp"
#include "plan/host_allocation.hpp"

#include <algorithm>

namespace nereus::job {
namespace {

using nlohmann::json;

/// What `auto` is: the supervisor makes processes where it can, and they are connected while the application iterates.
/// A spawn in a thread is no help: it holds MPICH 5 for most of its time.
unsigned decided(const JobState &job, unsigned asked, bool all_woken) {
    if (asked != strategies::automatic) return asked;
    const bool joins = job.supervisor && job.settings.joins;
    const bool in_a_thread = (joins || all_woken) && mpi::threads_are_allowed();
    return (joins ? strategies::join : 0U) | (in_a_thread ? strategies::asynchronous : 0U);
}

/// The woken come to the job by a port: where there are none, they sleep on and others are made.
bool ports_work() {
    static const bool work = mpi::Port::open().has_value();
    return work;
}

int processes_to_wake(const JobState &job, const plan::Sizes &sizes) {
    if (sizes.anew || !job.settings.wake) return 0;
    const int asleep = static_cast<int>(job.parked.worlds().size());
    return asleep == 0 || !ports_work() ? 0 : std::min(asleep, sizes.newcomers());
}

/// With Baseline nobody stays.
std::vector<std::string> hosts_in_use(const JobState &job, const plan::Sizes &sizes, int woken) {
    if (sizes.anew) return {};
    std::vector<std::string> hosts = job.generation.hosts;
    const auto asleep = job.parked.hosts();
    hosts.insert(hosts.end(), asleep.begin(), asleep.begin() + woken);
    return hosts;
}

Result<std::vector<plan::Party>> parties_to_make(const JobState &job, const Request &request, const plan::Sizes &sizes,
                                                 unsigned asked, int woken) {
    const auto unit = static_cast<plan::ReleaseUnit>(request.options.release_unit);
    const bool grouped = unit == plan::ReleaseUnit::host || (asked & strategies::multiple) != 0;
    const auto there = hosts_in_use(job, sizes, woken);
    const int wanted = sizes.newcomers() - woken;
    const bool oversubscribe = request.options.oversubscribe != 0;
    const auto hosts =
        request.options.placement == NEREUS_MEASURED
            ? hosts_by_traffic(job.hosts, there, wanted, oversubscribe, sizes, job.sent)
            : plan::place(job.hosts, there, wanted, static_cast<plan::Placement>(request.options.placement),
                          oversubscribe, grouped);
    if (!hosts) return tl::unexpected(hosts.error());
    return plan::parties_of(*hosts, unit, asked, sizes.sources);
}

/// With Open MPI 5, processes on several hosts that were spawned apart find one another only by chance: calls between
/// them fail, or end the job.
Done check_parties(const std::vector<plan::Party> &parties, const std::string &host_of_root) {
#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
    const auto is_elsewhere = [&](const plan::Share &share) {
        return !share.host.empty() && share.host != host_of_root;
    };
    const auto goes_elsewhere = [&](const plan::Party &party) {
        return std::ranges::any_of(party.shares, is_elsewhere);
    };
    if (parties.size() > 1 && std::ranges::any_of(parties, goes_elsewhere))
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "Open MPI 5 does not connect processes on several hosts that were spawned apart: take process "
                      "strategies without multiple and parallel, and the release unit job");
#else
    static_cast<void>(parties);
    static_cast<void>(host_of_root);
#endif
    return {};
}

/// A name for the world of each process to be made.
void add_worlds(const std::vector<plan::Party> &parties, std::vector<plan::World> &worlds) {
    for (const plan::Party &party : parties)
        worlds.insert(worlds.end(), static_cast<std::size_t>(party.ranks()), new_world());
}

json as_json(const process::Wanted &wanted) {
    json parties = json::array();
    for (const plan::Party &party : wanted.parties) {
        json shares = json::array();
        for (const plan::Share &share : party.shares) shares.push_back({share.host, share.ranks});
        parties.push_back(shares);
    }
    return {{"method", static_cast<int>(wanted.method)},
            {"strategies", wanted.strategies},
            {"newcomers", wanted.newcomers},
            {"woken", wanted.woken},
            {"parties", parties}};
}

process::Wanted wanted_from(const json &in) {
    process::Wanted wanted;
    wanted.method = static_cast<process::Method>(in.at("method").get<int>());
    wanted.strategies = in.at("strategies");
    wanted.newcomers = in.at("newcomers");
    wanted.woken = in.at("woken");
    for (const json &shares : in.at("parties")) {
        plan::Party &party = wanted.parties.emplace_back();
        for (const json &share : shares) party.shares.push_back({share.at(0), share.at(1)});
    }
    return wanted;
}

}

Result<Newcomers> choose_newcomers(JobState &job, const Request &request, const plan::Sizes &sizes) {
    const int woken = processes_to_wake(job, sizes);
    const unsigned asked = decided(job, request.options.process_strategies, woken == sizes.newcomers());
    auto parties = parties_to_make(job, request, sizes, asked, woken);
    if (!parties) return tl::unexpected(parties.error());
    if (auto done = check_parties(*parties, job.generation.hosts.front()); !done) return tl::unexpected(done.error());
    Newcomers chosen;
    chosen.woken = job.parked.wake(woken);
    for (const process::WokenParty &party : chosen.woken)
        chosen.worlds.insert(chosen.worlds.end(), party.worlds.begin(), party.worlds.end());
    add_worlds(*parties, chosen.worlds);
    chosen.wanted = {static_cast<process::Method>(request.options.process_method), asked, sizes.newcomers(),
                     chosen.woken.size(), std::move(*parties)};
    return chosen;
}

Result<process::Wanted> share_wanted(MPI_Comm sources, const Result<Newcomers> &chosen) {
    auto bytes = mpi::share_result(
        sources, 0, chosen.map([](const Newcomers &own) { return json::to_msgpack(as_json(own.wanted)); }));
    if (!bytes) return tl::unexpected(bytes.error());
    return wanted_from(json::from_msgpack(*bytes));
}

}
