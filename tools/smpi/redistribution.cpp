// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution.hpp"

#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <optional>

namespace smpi {
namespace {

namespace plan = nereus::plan;
namespace transfer = nereus::transfer;

// How often a rank may look at its requests within the bound: of many ranks less often, or only looks are simulated.
constexpr double looks_of_all = 2e5, most_looks = 2000, fewest_looks = 200, shortest_look = 1e-6, longest_look = 1e-4;

double look_within(double bound, int ranks) {
    const double looks = std::clamp(looks_of_all / ranks, fewest_looks, most_looks);
    return std::clamp(bound / looks, shortest_look, longest_look);
}

double bound_of(const Load &load, const Cluster &cluster, double share) {
    return std::max(static_cast<double>(load.link) / cluster.bandwidth,
                    static_cast<double>(load.memory) / cluster.memory_bandwidth) /
           share;
}

std::byte value_at(std::int64_t element) { return static_cast<std::byte>(element * 31 + (element >> 8) * 17); }

/// Parts of one rank.
class Parts {
public:
    Parts(const Redistribution &asked, const plan::Place &place) {
        const plan::Distribution before{plan::Layout::block, asked.bytes, asked.sources},
            after{plan::Layout::block, asked.bytes, asked.drains};
        if (place.source) before_ = before.range_of(*place.source);
        if (place.drain) after_ = after.range_of(*place.drain);
    }

    void make() {
        old_.resize(static_cast<std::size_t>(before_.count()));
        new_.resize(static_cast<std::size_t>(after_.count()));
        for (std::size_t i = 0; i < old_.size(); ++i) old_[i] = value_at(before_.first + static_cast<std::int64_t>(i));
    }

    std::byte *from() { return old_.data(); }
    std::byte *to() { return new_.data(); }

    bool are_right() const {
        for (std::size_t i = 0; i < new_.size(); ++i)
            if (new_[i] != value_at(after_.first + static_cast<std::int64_t>(i))) return false;
        return true;
    }

private:
    plan::Range before_, after_;
    std::vector<std::byte> old_, new_;
};

/// What all ranks share: they are in one process.
class Stage {
public:
    Stage(const Redistribution &asked, const plan::Sizes &sizes) : asked_(asked), sizes_(sizes) {
        lane_.comm = MPI_COMM_NULL;
        lane_.drain_ranks.resize(static_cast<std::size_t>(sizes.drains));
        std::iota(lane_.drain_ranks.begin(), lane_.drain_ranks.end(), 0);
    }

    void play(int rank) {
        lane_.comm = MPI_COMM_WORLD; // is known within a rank only
        const plan::Place place = place_of(rank);
        Parts parts(asked_, place);
        const auto array_transfer = array_transfer_of(place, parts);
        transfer::Windows windows;
        transfer::Sending sending(asked_.method, NEREUS_BLOCKING, lane_, {array_transfer}, {}, windows);
        meet();
        span_.begins(MPI_Wtime());
        auto done = sending.start();
        if (done) done = sending.finish(nereus::Deadline::never());
        span_.ends(MPI_Wtime());
        if (!done) return fail(rank, done.error());
        windows.reset();
        if (asked_.checks && !parts.are_right())
            fail(rank, {NEREUS_ERR_TRANSFER, "bytes arrived that are not those that were sent"});
    }

    const Span &span() const { return span_; }
    const std::optional<nereus::Error> &trouble() const { return trouble_; }

private:
    plan::Place place_of(int rank) const {
        plan::Place place;
        if (rank < sizes_.sources) place.source = rank;
        if (rank < sizes_.drains) place.drain = rank;
        return place;
    }

    /// What stays where it is takes no simulated time: without real bytes it is left out.
    transfer::ArrayTransfer array_transfer_of(const plan::Place &place, Parts &parts) {
        transfer::ArrayTransfer array_transfer{"data", plan::move_of(plan::Layout::block, asked_.bytes, sizes_, place),
                                               1, nullptr, nullptr};
        if (asked_.checks) {
            parts.make();
            array_transfer.from = parts.from();
            array_transfer.to = parts.to();
        } else {
            array_transfer.move.stays.clear();
            array_transfer.from = place.source ? folded() : nullptr;
            array_transfer.to = place.drain ? folded() : nullptr;
        }
        return array_transfer;
    }

    /// One for all: as long as the longest part.
    std::byte *folded() {
        const int fewest = std::min(sizes_.sources, sizes_.drains);
        if (folded_ == nullptr) folded_ = folded_memory((asked_.bytes + fewest - 1) / fewest);
        return folded_;
    }

    void fail(int rank, const nereus::Error &error) {
        if (!trouble_) trouble_ = {error.code, "rank " + std::to_string(rank) + ": " + error.what};
    }

    const Redistribution &asked_;
    const plan::Sizes &sizes_;
    transfer::Lane lane_;
    std::byte *folded_ = nullptr;
    Span span_;
    std::optional<nereus::Error> trouble_;
};

}

nereus::Result<Redistributed> redistribute(const Redistribution &asked) {
    const plan::Sizes sizes{asked.sources, asked.drains, false};
    const Load load = load_of(asked.bytes, sizes, asked.host_of_rank);
    const double bound = bound_of(load, asked.cluster, 1);
    const int ranks = std::max(asked.sources, asked.drains);
    const World world{asked.cluster, asked.host_of_rank, look_within(bound, ranks)};
    Stage stage(asked, sizes);
    run(world, [&](int rank) { stage.play(rank); });
    if (stage.trouble()) return tl::unexpected(*stage.trouble());
    return Redistributed{stage.span().seconds(), load, bound,
                         bound_of(load, asked.cluster, share_of_bandwidth(load.longest))};
}

}
