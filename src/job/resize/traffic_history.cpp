// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/traffic_history.hpp"

#include "job/state/monitor_client.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace nereus::job {
namespace {

using nlohmann::json;
using plan::mapping::Pair;
using plan::mapping::Traffic;

constexpr std::size_t most_sizes = 16;                               // numbers of ranks that are remembered
constexpr double words_at_first = 1024, words_at_a_checkpoint = 128; // B of a rank, and more than that

/// [rank, bytes] of those to which most was sent; null where nobody measures.
json row_of(const std::optional<std::vector<std::uint64_t>> &bytes) {
    if (!bytes) return nullptr;
    std::vector<std::pair<std::uint64_t, std::size_t>> peers;
    for (std::size_t rank = 0; rank < bytes->size(); ++rank)
        if ((*bytes)[rank] > 0) peers.emplace_back((*bytes)[rank], rank);
    const std::size_t taken = std::min(most_peers, peers.size());
    std::ranges::partial_sort(peers, peers.begin() + static_cast<std::ptrdiff_t>(taken), std::greater());
    json row = json::array();
    for (std::size_t i = 0; i < taken; ++i) row.push_back({peers[i].second, peers[i].first});
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

std::optional<TrafficHistory::Bytes> TrafficHistory::of_the_program(const Generation &now) const {
    auto bytes = bytes_sent(now.application.get());
    if (bytes && by_resizes_.size() == bytes->size())
        std::ranges::transform(*bytes, by_resizes_, bytes->begin(),
                               [](std::uint64_t all, std::uint64_t ours) { return all - std::min(all, ours); });
    return bytes;
}

Done TrafficHistory::gather(const Generation &now) {
    auto rows = mpi::gather(now.control.get(), 0, json::to_msgpack(row_of(of_the_program(now))));
    if (!rows) return tl::unexpected(rows.error());
    if (now.control.rank() != 0) return {};
    in_this_generation_ = traffic_of(*rows);
    if (!in_this_generation_) return {};
    if (with_ranks_.size() == most_sizes) with_ranks_.erase(with_ranks_.begin());
    with_ranks_.insert_or_assign(now.control.size(), *in_this_generation_);
    return {};
}

const Traffic *TrafficHistory::with_ranks(int ranks) const {
    const auto known = with_ranks_.find(ranks);
    return known == with_ranks_.end() ? nullptr : &known->second;
}

double TrafficHistory::own_words(int ranks, std::int64_t iteration) const {
    return ranks * (words_at_first + words_at_a_checkpoint * static_cast<double>(iteration - began_at_));
}

void TrafficHistory::resize_begins(const Generation &now) {
    at_begin_ = bytes_sent(now.application.get()).value_or(Bytes());
}

void TrafficHistory::resize_undone(const Generation &now) {
    const Bytes at_end = bytes_sent(now.application.get()).value_or(Bytes());
    if (at_begin_.size() != at_end.size()) return;
    by_resizes_.resize(at_end.size());
    for (std::size_t rank = 0; rank < at_end.size(); ++rank) by_resizes_[rank] += at_end[rank] - at_begin_[rank];
}

void TrafficHistory::generation_begins(std::int64_t iteration) {
    began_at_ = iteration;
    by_resizes_.clear();
}

}
