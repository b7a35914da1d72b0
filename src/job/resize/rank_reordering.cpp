// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/rank_reordering.hpp"

#include "job/state/report.hpp"
#include "plan/host_allocation.hpp"
#include "plan/overlaps.hpp"
#include "plan/rank_reordering.hpp"
#include "plan/traffic_prediction.hpp"

#include <cstdio>
#include <map>

namespace nereus::job {
namespace {

using plan::HostNumbers;
using plan::mapping::Traffic;

constexpr double least_gain = 0.02;

struct Foreseen {
    Traffic traffic;
    std::string from; ///< what it rests on
};

/// Nothing where nobody measured.
std::optional<Foreseen> traffic_after(const plan::Sizes &sizes, const TrafficHistory &sent) {
    const Traffic *known = sent.with_ranks(sizes.drains);
    if (known && sent.in_this_generation())
        return Foreseen{*known, "as measured with " + std::to_string(sizes.drains) + " ranks"};
    if (!sent.in_this_generation()) return std::nullopt;
    return Foreseen{plan::foreseen(*sent.in_this_generation(), sizes.drains),
                    "as foreseen from " + std::to_string(sizes.sources) + " ranks"};
}

/// Hosts by numbers, in the order in which they are seen first; a user and MPI may call one by different names.
class Numbers {
public:
    HostNumbers of(const HostNames &names) {
        HostNumbers numbers;
        for (const std::string &name : names) {
            const auto next = static_cast<int>(known_.size());
            numbers.push_back(known_.try_emplace(std::string(own_part(name)), next).first->second);
        }
        return numbers;
    }

private:
    std::map<std::string, int> known_;
};

std::string as_text(double bytes) {
    const char *units[] = {"B", "kB", "MB", "GB", "TB"};
    std::size_t unit = 0;
    for (; bytes >= 1000 && unit + 1 < std::size(units); ++unit) bytes /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, "%.3g %s", bytes, units[unit]);
    return text;
}

/// One resize: the usual order, and the one that lets least go between hosts.
struct Orders {
    const plan::Sizes &usual;
    HostNumbers of_sources, of_newcomers;
    std::vector<plan::Overlap> overlaps;
    HostNumbers usually, wanted; ///< of each drain

    /// Bytes that `wanted` moves more of the arrays.
    double moves_more() const {
        return static_cast<double>(moved_between_hosts(overlaps, of_sources, wanted) -
                                   moved_between_hosts(overlaps, of_sources, usually));
    }
};

std::string saves_too_little(double usual) {
    return "another order saves less than 2 % of the " + as_text(usual) + " that are sent between hosts";
}

/// Why the usual order is as good; "" where it is not.
std::string why_not(const Orders &orders, double usual, double placed) {
    if (placed > (1 - least_gain) * usual) return saves_too_little(usual);
    const double more = orders.moves_more();
    if (more <= usual - placed) return "";
    return "another order saves " + as_text(usual - placed) + " between hosts, but " + as_text(more) +
           " more of the data would have to go there first";
}

std::string how(double usual, double placed, const std::string &from) {
    return "ranks are placed by what they sent each other: " + as_text(placed) + " are sent between hosts instead of " +
           as_text(usual) + ", " + from;
}

}

Result<HostNames> hosts_by_traffic(const std::vector<Host> &hosts, const HostNames &there, int wanted,
                                   bool oversubscribe, const plan::Sizes &sizes, const TrafficHistory &sent) {
    const auto place = [&](plan::Placement placement) {
        return plan::place(hosts, there, wanted, placement, oversubscribe, true);
    };
    auto compact = place(plan::Placement::compact);
    const auto after = traffic_after(sizes, sent);
    if (!compact || hosts.empty() || !after) return compact;
    auto spread = place(plan::Placement::spread);
    if (*spread == *compact) return compact;
    const auto between = [&](const HostNames &chosen) {
        HostNames all = there;
        all.insert(all.end(), chosen.begin(), chosen.end());
        return plan::between_hosts(after->traffic, plan::placed_by(after->traffic, Numbers().of(all)));
    };
    return between(*spread) < between(*compact) ? spread : compact;
}

Order order_by_traffic(const plan::Sizes &usual, const JobState &job, const HostNames &hosts_of_newcomers) {
    const auto after = traffic_after(usual, job.sent);
    if (!after)
        return {usual, -1, -1,
                "ranks are in the usual order: what they send each other was not measured (`nereus run --placement "
                "measured` does that)"};
    Numbers numbers;
    const auto arrays = arrays_held(job.registry, usual, Which::of_hosts_too);
    Orders orders{
        usual, numbers.of(job.generation.hosts), numbers.of(hosts_of_newcomers), overlaps_of(arrays).pairs, {}, {}};
    orders.usually = plan::by_drain(usual, orders.of_sources, orders.of_newcomers);
    const double before = plan::between_hosts(after->traffic, orders.usually);
    const auto as_usual = [&](const std::string &why) {
        return Order{usual, before, before, "ranks are in the usual order: " + why + ", " + after->from};
    };
    if (before <= job.sent.own_words(usual.sources, job.iteration))
        return as_usual("hardly anything is sent between hosts");
    if (plan::least_between_hosts(after->traffic, orders.usually) > (1 - least_gain) * before)
        return as_usual(saves_too_little(before));
    orders.wanted =
        plan::with_least_moved(plan::placed_by(after->traffic, orders.usually), orders.overlaps, orders.of_sources);
    const double placed = plan::between_hosts(after->traffic, orders.wanted);
    if (const std::string why = why_not(orders, before, placed); !why.empty()) return as_usual(why);
    return {with_order(usual, orders.overlaps, orders.of_sources, orders.of_newcomers, orders.wanted), before, placed,
            how(before, placed, after->from)};
}

void write_into(nereus_resize_report &report, const Order &order) {
    report.usual_between_hosts = order.usual_between_hosts;
    report.between_hosts = order.between_hosts;
    write_into(report.placed, order.how);
}

}
