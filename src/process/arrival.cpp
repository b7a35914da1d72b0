// SPDX-License-Identifier: BSD-3-Clause
#include "process/arrival.hpp"

#include "mpi/host.hpp"
#include "mpi/port.hpp"
#include "mpi/share.hpp"
#include "mpi/waiting.hpp"
#include "process/process_id.hpp"
#include "process/tree.hpp"

namespace nereus::process {
namespace {

using nlohmann::json;

constexpr int tag_ordered = 6;
constexpr const char *answer = "the job's answer to a newcomer";

Error unreadable(const std::string &why) {
    return {NEREUS_ERR_MISMATCH, std::string(answer) + " cannot be read: " + why};
}

Done learn_number(Arrival &arrival) try {
    if (arrival.number) return {};
    auto told = arrival.line->wait(Deadline::never(), answer);
    if (!told) return tl::unexpected(told.error());
    arrival.number = told->at("number").get<std::size_t>();
    return {};
} catch (const json::exception &problem) {
    return tl::unexpected(unreadable(problem.what()));
}

/// The leader's talk with the job. A port that cannot be opened is none: the job may not need it.
Result<json> ask_for_orders(Arrival &arrival, mpi::Port &port, const std::vector<std::string> &hosts,
                            const std::vector<ProcessId> &processes) {
    if (auto done = learn_number(arrival); !done) return tl::unexpected(done.error());
    if (auto opened = mpi::Port::open(port_place(*arrival.number))) port = std::move(*opened);
    if (auto done = arrival.line->send({{"port", port.name()}, {"hosts", hosts}, {"processes", processes}}); !done)
        return tl::unexpected(done.error());
    return arrival.line->wait(Deadline::never(), answer);
}

/// Collective over the party: members sleep until the leader has its orders.
Done sleep_until_ordered(const mpi::Comm &party) {
    if (party.rank() == 0) {
        for (int member = 1; member < party.size(); ++member)
            MPI_Send(nullptr, 0, MPI_BYTE, member, tag_ordered, party.get());
        return {};
    }
    MPI_Request ordered = MPI_REQUEST_NULL;
    auto done = mpi::check(MPI_Irecv(nullptr, 0, MPI_BYTE, 0, tag_ordered, party.get(), &ordered), "MPI_Irecv");
    return done ? mpi::complete_asleep(ordered, answer) : done;
}

/// Collective over the party: the leader's orders on every member.
Result<json> share_orders(const mpi::Comm &party, const Result<json> &orders) {
    if (auto done = sleep_until_ordered(party); !done) return tl::unexpected(done.error());
    auto bytes = mpi::share_result(party.get(), 0, orders.map([](const json &own) { return json::to_msgpack(own); }));
    if (!bytes) return tl::unexpected(bytes.error());
    json shared = json::from_msgpack(*bytes, true, false);
    if (!shared.is_object()) return tl::unexpected(unreadable("no object"));
    if (shared.contains("rolled_back")) return failed(NEREUS_ERR_TIMEOUT, shared.at("rolled_back"));
    return shared;
}

/// Afterwards the party is all newcomers.
Result<mpi::Comm> come_together(Arrival &arrival, const json &orders) {
    const auto ports = orders.at("ports").get<std::vector<std::string>>();
    const std::size_t number = orders.at("number");
    auto together = join_parties(std::move(arrival.party), number, ports);
    if (!together) return together;
    arrival.party = std::move(*together);
    if (arrival.line && number == 0 && ports.size() > 1)
        if (auto done = arrival.line->send({{"together", true}}); !done) return tl::unexpected(done.error());
    return mpi::connect(orders.at("job"), arrival.party.get());
}

Result<mpi::Comm> reach_the_job(Arrival &arrival, const json &orders) try {
    if (orders.at("direct")) return std::move(arrival.parent);
    return come_together(arrival, orders);
} catch (const json::exception &problem) {
    return tl::unexpected(unreadable(problem.what()));
}

}

Result<Arrived> arrive(Arrival arrival) {
    const auto hosts = mpi::hosts_of(arrival.party.get());
    if (!hosts) return tl::unexpected(hosts.error());
    const auto processes = processes_of(arrival.party.get());
    if (!processes) return tl::unexpected(processes.error());
    mpi::Port port; // the leader's, for as long as somebody may connect
    const Result<json> mine = arrival.line ? ask_for_orders(arrival, port, *hosts, *processes) : json();
    auto meet = [&]() -> Result<Meeting> {
        const auto orders = share_orders(arrival.party, mine);
        if (!orders) return tl::unexpected(orders.error());
        auto link = reach_the_job(arrival, *orders);
        if (!link) return tl::unexpected(link.error());
        return join_sources(std::move(*link));
    }();
    if (!meet) {
        arrival.parent.abandon();
        return tl::unexpected(meet.error());
    }
    arrival.parent.disconnect();
    return Arrived{std::move(*meet), std::move(arrival.party)};
}

}
