// SPDX-License-Identifier: BSD-3-Clause
#include "job/sent.hpp"

#include "job/monitor.hpp"
#include "mpi/share.hpp"

#include <nlohmann/json.hpp>

namespace nereus::job {
namespace {

using nlohmann::json;
using plan::mapping::Pair;
using plan::mapping::Traffic;

/// [rank, bytes] of each to which this process sent something; null where nobody measures.
json own_row(const Generation &now) {
    const auto bytes = bytes_sent(now.application.get());
    if (!bytes) return nullptr;
    json row = json::array();
    for (std::size_t rank = 0; rank < bytes->size(); ++rank)
        if ((*bytes)[rank] > 0) row.push_back({rank, (*bytes)[rank]});
    return row;
}

/// Nothing where not all ranks measure.
std::optional<Traffic> traffic_of(const std::vector<mpi::Bytes> &rows) {
    std::vector<Pair> pairs;
    for (std::size_t rank = 0; rank < rows.size(); ++rank) {
        const json row = json::from_msgpack(rows[rank]);
        if (row.is_null()) return std::nullopt;
        for (const json &to : row) pairs.push_back({static_cast<int>(rank), to.at(0), to.at(1)});
    }
    return Traffic(static_cast<int>(rows.size()), pairs);
}

}

Done hear_what_was_sent(const Generation &now, Sent &sent) {
    auto rows = mpi::gather(now.control.get(), 0, json::to_msgpack(own_row(now)));
    if (!rows) return tl::unexpected(rows.error());
    if (now.control.rank() != 0) return {};
    sent.in_this_generation = traffic_of(*rows);
    if (sent.in_this_generation) sent.with_ranks.insert_or_assign(now.control.size(), *sent.in_this_generation);
    return {};
}

}
