// SPDX-License-Identifier: BSD-3-Clause
// The first part of a handover: what all decide together, what newcomers are told, memory, and the first vote.
#include "job/data/consistency.hpp"
#include "job/data/matrix_rows.hpp"
#include "job/resize/costs.hpp"
#include "job/resize/handover.hpp"
#include "job/resize/method_selection.hpp"
#include "job/resize/rank_reordering.hpp"
#include "job/state/report.hpp"
#include "mpi/message.hpp"
#include "plan/host_allocation.hpp"
#include "plan/survivors.hpp"

#include <algorithm>

namespace nereus::job {
namespace {

using nlohmann::json;

/// On rank 0. No broadcast: sources would wait in it for newcomers that died.
Done send_to_newcomers(const process::Meeting &meeting, const mpi::Bytes &bytes) {
    for (int i = 0; i < meeting.newcomers; ++i)
        if (auto done = mpi::post(meeting.comm.get(), meeting.rank_of_newcomer(i), tag_offer, bytes); !done)
            return done;
    return {};
}

}

void Handover::refuse(const std::string &why) {
    if (root()) (void)send_to_newcomers(company_->meeting, pack_rolled_back(why));
    company_->meeting.comm.abandon();
}

/// For arrays in shared memory the ranks would lie over the hosts in another order than the placement says: only where
/// that is asked for.
bool Handover::weighs_hosts(const std::vector<std::string> &hosts_of_newcomers) const {
    const auto &hosts = job_.generation.hosts;
    const auto is_another = [&](const std::string &host) { return host != hosts.front(); };
    return request_.options.survivors == NEREUS_LEAST_MOVEMENT &&
           (std::ranges::any_of(hosts, is_another) || std::ranges::any_of(hosts_of_newcomers, is_another));
}

/// By what ranks sent each other.
void Handover::order_ranks(const std::vector<std::string> &hosts_of_newcomers, nereus_resize_report &report) {
    Order order = order_by_traffic(sizes_, job_, hosts_of_newcomers);
    write_into(report, order);
    sizes_ = std::move(order.sizes);
}

std::vector<int> Handover::survivors(const std::vector<std::string> &hosts_of_newcomers,
                                     const std::vector<plan::LocalSizes> &held) const {
    const bool by_hosts = weighs_hosts(hosts_of_newcomers);
    return plan::choose_survivors(sizes_.sources, sizes_.drains,
                                  by_hosts ? arrays_held(job_.registry, sizes_, Which::of_hosts_too) : held,
                                  static_cast<plan::Survivors>(request_.options.survivors), job_.generation.worlds)
        .kept;
}

/// What rank 0 alone can know of the next generation, or must decide for all.
json Handover::decisions(nereus_resize_report &report) {
    const Company none{};
    const Company &company = company_ ? *company_ : none;
    const auto held = arrays_held(job_.registry, sizes_, Which::of_each_process);
    const TransferChoice usual = usual_transfer_choice(request_);
    if (!sizes_.anew)
        sizes_.kept = !job_.hosts_to_leave.empty()
                          ? plan::kept_elsewhere(job_.generation.hosts, job_.hosts_to_leave, sizes_.drains)
                          : survivors(company.hosts, held);
    if (request_.options.placement == NEREUS_MEASURED && job_.generation.number >= 0)
        order_ranks(company.hosts, report);
    least_bytes_ = plan::least_moved(held, sizes_);
    processes_ = plan::by_drain(sizes_, job_.generation.processes, company.processes);
    return {{"worlds", plan::by_drain(sizes_, job_.generation.worlds, company.worlds)},
            {"kept", sizes_.kept},
            {"newcomers_as", sizes_.newcomers_as},
            {"hosts", plan::by_drain(sizes_, job_.generation.hosts, company.hosts)},
            {"method", usual.method},
            {"strategy", usual.strategy},
            {"chooses", is_to_choose(request_, job_.costs)}};
}

/// Where rank 0 knows what ways cost.
Done Handover::choose_transfer(nereus_resize_report &report) {
    const Sides sides{sizes_, {rank_, sizes_.drain_of(rank_)}, job_.generation.hosts, hosts_};
    const bool one_world = !company_ && is_of_one_world(job_.generation);
    auto choice = choose_together(sources(), job_.registry, sides, request_, one_world, job_.costs);
    if (!choice) return tl::unexpected(choice.error());
    if (!*choice) return {};
    transfer_choice_ = {(*choice)->way.method, (*choice)->way.strategy};
    report.predicted_seconds = (*choice)->predicted_seconds;
    why_chosen_ = (*choice)->why;
    return {};
}

/// While newcomers came, the application may have gone on: it has swapped arrays, and registered others. All that
/// newcomers are told, and what is compared with theirs later, begins here.
Done Handover::agree_on_registry() {
    if (auto done = check_alike(sources(), job_.registry); !done) return done;
    auto swaps = agree_on_swaps(sources(), job_.registry, job_.registry.follow_pointers());
    return swaps ? Done{} : Done(tl::unexpected(swaps.error()));
}

Done Handover::decide_together(nereus_resize_report &report) {
    if (auto done = cut_nonzeros(sources(), job_.registry, sizes_); !done) return done;
    auto bytes = mpi::share(sources(), 0, root() ? json::to_msgpack(decisions(report)) : mpi::Bytes{});
    if (!bytes) return tl::unexpected(bytes.error());
    const json decided = json::from_msgpack(*bytes);
    sizes_.kept = decided.at("kept").get<std::vector<int>>();
    sizes_.newcomers_as = decided.at("newcomers_as").get<std::vector<int>>();
    worlds_ = decided.at("worlds").get<std::vector<plan::World>>();
    hosts_ = decided.at("hosts").get<std::vector<std::string>>();
    transfer_choice_ = {decided.at("method"), decided.at("strategy")};
    if (decided.at("chooses").get<bool>())
        if (auto done = choose_transfer(report); !done) return done;
    report.transfer_method = static_cast<nereus_transfer_method>(transfer_choice_.method);
    report.transfer_strategy = static_cast<nereus_transfer_strategy>(transfer_choice_.strategy);
    return {};
}

Done Handover::offer(const Handles &handles) {
    if (!company_ || !root()) return {};
    Offer offer;
    offer.generation = job_.generation.number;
    offer.sizes = sizes_;
    offer.transfer_choice = transfer_choice_;
    offer.settings = job_.settings;
    offer.first_world = job_.generation.first_world;
    offer.worlds = worlds_;
    offer.source_hosts = job_.generation.hosts;
    offer.hosts = hosts_;
    offer.redistributions = names_of_redistributions();
    offer.handles = handles;
    return send_to_newcomers(company_->meeting, pack(offer, job_.registry.entries()));
}

Done Handover::get_ready(nereus_resize_report &report) {
    Done agreed = agree_on_registry();
    if (agreed) agreed = decide_together(report);
    if (!agreed) {
        if (company_) refuse(agreed.error().what);
        company_.reset();
        return agreed;
    }
    auto handles = handles_of_sources(sources(), job_.generation.hosts, job_.registry);
    Done mine = handles ? offer(*handles) : Done(tl::unexpected(handles.error()));
    const plan::Place place{rank_, sizes_.drain_of(rank_)};
    arrays_ = std::make_unique<ArrayRedistribution>(job_.registry, Sides{sizes_, place, job_.generation.hosts, hosts_},
                                                    company_ ? transfer::Windows() : job_.generation.windows,
                                                    job_.settings.verify);
    const Done lane = company_ ? Done{} : make_lane(job_.generation); // also where this process fails: it is collective
    if (mine) mine = lane;
    if (mine) mine = arrays_->allocate();
    arrays_->place_shared();
    return hear_the_ready(collect(sources(), meeting(), {mine}, Deadline::in(job_.settings.answer_timeout, news_)));
}

/// A "yes" that is not the last one is told to the newcomers here, with the shared memory that some of them made.
Done Handover::hear_the_ready(const Verdict &verdict) {
    if (!verdict.all || !company_ || !root()) return verdict.all;
    Decision decision;
    decision.made = verdict.made;
    tell_newcomers(decision);
    return {};
}

}
