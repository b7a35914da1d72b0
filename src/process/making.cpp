// SPDX-License-Identifier: BSD-3-Clause
#include "process/making.hpp"

#include "base/strategies.hpp"
#include "mpi/share.hpp"
#include "process/spawn.hpp"

namespace nereus::process {
namespace {

using nlohmann::json;

/// The supervisor sends somebody to an accept that waits for the dead four times, 5 s apart (docs/formats/link.md).
constexpr double seconds_of_releases = 20;

Result<Hello> read_hello(const json &said) try {
    Hello hello{said.at("port"), said.at("hosts").get<std::vector<std::string>>(),
                said.at("processes").get<std::vector<ProcessId>>()};
    if (hello.hosts.size() == hello.processes.size()) return hello;
    return failed(NEREUS_ERR_MISMATCH, "the message of a newcomer does not have a host for each process");
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the message of a newcomer cannot be read: ") + problem.what());
}

}

Making::Making(MPI_Comm members, Wanted wanted, const Program &program, std::vector<WokenParty> woken, Starter *starter)
    : members_(members), wanted_(std::move(wanted)), program_(program), starter_(starter) {
    MPI_Comm_rank(members_, &rank_);
    MPI_Comm_size(members_, &sources_);
    if (starter_ != nullptr) hearing_.emplace([starter] { return starter->news(); });
    for (std::size_t i = 0; i < woken.size(); ++i) lines_[i] = std::move(woken[i].line);
}

bool Making::collective() const {
    return !wanted_.parties.empty() && !has(strategies::single) && !has(strategies::join);
}

bool Making::direct() const { return collective() && !has(strategies::parallel) && wanted_.all_parties() == 1; }

bool Making::awaited() const { return ordered_ && !(has(strategies::join) && wanted_.woken == 0); }

Done Making::spawn_on(MPI_Comm spawners, std::size_t party, bool talks) {
    auto parent = spawn(spawners, program_, wanted_.parties[party]);
    if (!parent) return tl::unexpected(parent.error());
    const std::size_t number = wanted_.woken + party;
    Done told;
    if (talks) {
        lines_[number] = std::make_unique<MessageLine>(parent->get(), 0);
        told = lines_[number]->send({{"number", number}});
    }
    spawned_.push_back(std::move(*parent));
    return told;
}

Done Making::spawn_with_all() {
    for (std::size_t party = 0; party < wanted_.parties.size(); ++party)
        if (auto done = mpi::agree(members_, spawn_on(members_, party, root())); !done) return done;
    return {};
}

/// Parties first, first + step, ...
Done Making::spawn_alone(std::size_t first, std::size_t step) {
    auto alone = mpi::Comm::duplicate(MPI_COMM_SELF);
    if (!alone) return tl::unexpected(alone.error());
    alone_ = std::move(*alone);
    for (std::size_t party = first; party < wanted_.parties.size(); party += step)
        if (auto done = spawn_on(alone_.get(), party, true); !done) return done;
    return {};
}

/// Collective: the same outcome on all sources.
Done Making::spawn_all() {
    if (!has(strategies::parallel)) return spawn_with_all();
    return mpi::agree(members_, spawn_alone(static_cast<std::size_t>(rank_), static_cast<std::size_t>(sources_)));
}

Done Making::prepare(const Deadline &deadline) {
    if (auto done = spawn_all(); !done) return done;
    if (auto done = collect_hellos(deadline); !done) return done;
    const Result<json> own = root() ? orders() : json();
    auto bytes = mpi::share_result(members_, 0, own.map([](const json &all) { return json::to_msgpack(all); }));
    if (!bytes) return tl::unexpected(bytes.error());
    Done mine = send_orders(json::from_msgpack(*bytes));
    if (root() && mine) mine = wait_until_ready(deadline);
    stage_ = Stage::ready;
    return mpi::agree(members_, mine);
}

/// Collective: what all leaders say, at rank 0.
Done Making::collect_hellos(const Deadline &deadline) {
    Done mine;
    json said = json::array();
    for (auto &[number, line] : lines_) {
        auto hello = line->wait(deadline, "starting the newcomers");
        if (!hello) {
            mine = tl::unexpected(hello.error());
            break;
        }
        said.push_back({number, std::move(*hello)});
    }
    if (auto all = mpi::agree(members_, mine); !all) return all;
    auto gathered = mpi::gather(members_, 0, json::to_msgpack(said));
    if (!gathered) return tl::unexpected(gathered.error());
    for (const mpi::Bytes &bytes : *gathered)
        for (const json &said_of_one : json::from_msgpack(bytes)) {
            auto hello = read_hello(said_of_one.at(1));
            if (!hello && mine) mine = tl::unexpected(hello.error());
            if (hello) hellos_[said_of_one.at(0)] = std::move(*hello);
        }
    if (root()) note_up();
    return mpi::share_outcome(members_, 0, mine);
}

void Making::note_up() {
    up_at_ = now();
    stage_ = Stage::joining;
}

Result<json> Making::orders() {
    if (direct()) return json{{"direct", true}};
    auto port = mpi::Port::open();
    if (!port) return tl::unexpected(port.error());
    port_ = std::move(*port);
    std::vector<std::string> ports(wanted_.all_parties());
    for (const auto &[number, hello] : hellos_) ports[number] = hello.port;
    return json{{"direct", false}, {"ports", ports}, {"job", port_.name()}};
}

Done Making::send_orders(const json &orders) {
    for (auto &[number, line] : lines_) {
        json own = orders;
        own["number"] = number;
        if (auto done = line->send(own); !done) return done;
    }
    return {};
}

/// Rank 0. One party is ready when it is up; several, when the first one says that all are together.
Done Making::wait_until_ready(const Deadline &deadline) {
    if (wanted_.all_parties() == 1) return {};
    auto together = lines_.at(0)->wait(deadline, "joining the newcomers");
    return together ? Done{} : tl::unexpected(together.error());
}

Done Making::begin() {
    if (auto done = begin_to_make(); !done) return done;
    // One party needs no port of another one. Spawned ones are up very soon, and may be told until then that they are
    // not wanted.
    return wanted_.all_parties() == 1 && !has(strategies::single) ? order_all() : Done{};
}

Done Making::begin_to_make() {
    if (has(strategies::single)) return spawn_alone(0, 1);
    if (wanted_.parties.empty()) return {};
    if (auto done = starter_->start(wanted_.parties, wanted_.woken); !done) return done;
    for (std::size_t i = 0; i < wanted_.parties.size(); ++i)
        lines_[wanted_.woken + i] = starter_->line_to(wanted_.woken + i);
    return {};
}

Done Making::order_all() {
    auto all_orders = orders();
    if (!all_orders) return tl::unexpected(all_orders.error());
    ordered_ = true;
    return send_orders(*all_orders);
}

Result<bool> Making::everybody_is_up() {
    for (auto &[number, line] : lines_) {
        if (hellos_.contains(number)) continue;
        auto said = line->poll();
        if (!said) return tl::unexpected(said.error());
        if (!*said) continue;
        auto hello = read_hello(**said);
        if (!hello) return tl::unexpected(hello.error());
        hellos_[number] = std::move(*hello);
    }
    return hellos_.size() == wanted_.all_parties();
}

Result<bool> Making::look() {
    if (stage_ == Stage::coming) {
        auto up = everybody_is_up();
        if (!up || !*up) return up;
        note_up();
        if (!ordered_)
            if (auto done = order_all(); !done) return tl::unexpected(done.error());
        if (wanted_.all_parties() == 1) stage_ = Stage::ready;
    }
    if (stage_ == Stage::joining) {
        auto together = lines_.at(0)->poll();
        if (!together) return tl::unexpected(together.error());
        if (*together) stage_ = Stage::ready;
    }
    return stage_ == Stage::ready;
}

Result<mpi::Comm> Making::accept(double seconds) {
    if (direct()) return std::move(spawned_.front());
    if (starter_ != nullptr) starter_->connecting(port_.name(), seconds);
    const mpi::BoundedCall bounded("MPI_Comm_accept", seconds + seconds_of_releases,
                                   mpi::BoundedCall::Death::releases_it);
    auto link = mpi::accept(port_.name(), members_);
    if (starter_ != nullptr) starter_->connected();
    auto all = mpi::agree(members_, link ? Done{} : tl::unexpected(link.error()));
    if (all) return link;
    if (link) link->abandon();
    return tl::unexpected(all.error());
}

Result<Meeting> Making::connect(double seconds, const Deadline &deadline) {
    auto link = accept(seconds);
    if (!link) return tl::unexpected(link.error());
    auto meeting = receive_newcomers(members_, std::move(*link), wanted_.method, wanted_.newcomers, deadline);
    for (mpi::Comm &parent : spawned_) {
        if (meeting)
            parent.disconnect();
        else
            parent.abandon();
    }
    lines_.clear();
    return meeting;
}

void Making::wait_for_spawned(const Deadline &deadline) {
    if (spawned_.empty()) return;
    for (auto &[number, line] : lines_)
        if (!hellos_.contains(number) && !line->wait(deadline, "starting the newcomers")) return;
}

void Making::roll_back(const std::string &why) {
    for (auto &[number, line] : lines_) line->send({{"rolled_back", why}});
    for (mpi::Comm &parent : spawned_) parent.abandon();
    lines_.clear();
}

template <class T> std::vector<T> Making::of_all(std::vector<T> Hello::*what) const {
    std::vector<T> all;
    for (const auto &[number, hello] : hellos_) all.insert(all.end(), (hello.*what).begin(), (hello.*what).end());
    return all;
}

std::vector<std::string> Making::hosts() const { return of_all(&Hello::hosts); }
std::vector<ProcessId> Making::processes() const { return of_all(&Hello::processes); }

}
