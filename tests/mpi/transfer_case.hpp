// SPDX-License-Identifier: BSD-3-Clause
// One transfer of the test matrix: arrays with known bytes, their moves made by hand, and a lane of some ranks.
#pragma once

#include "expect.hpp"

#include "base/methods.hpp"
#include "mpi/comm.hpp"
#include "transfer/transfer.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace testing_mpi {

namespace plan = nereus::plan;
namespace transfer = nereus::transfer;

/// How an array lies over ranks. Blocks and copies are the library's own, the others are written down here.
enum class Shape { block, copies, cyclic, cyclic_in_threes };

struct ArrayCase {
    Shape shape;
    std::int64_t extent, elements;
};

struct Case {
    plan::Sizes sizes{1, 1, false};
    bool inter = false; ///< only with sizes.anew
    transfer::Method method = NEREUS_P2P;
    transfer::Strategy strategy = NEREUS_BLOCKING;
    transfer::Limits limits{};
    std::vector<ArrayCase> arrays{};

    int ranks() const { return sizes.anew ? sizes.sources + sizes.drains : std::max(sizes.sources, sizes.drains); }
    int first_drain() const { return sizes.anew ? sizes.sources : 0; }

    plan::Place place_of(int rank) const {
        plan::Place place;
        const int drain = rank - first_drain();
        if (rank < sizes.sources) place.source = rank;
        if (drain >= 0 && drain < sizes.drains) place.drain = drain;
        return place;
    }
};

/// Where element `e` lies over `ranks` when blocks of `width` are dealt out.
struct Dealt {
    std::int64_t width;
    int ranks;

    int rank_of(std::int64_t e) const { return static_cast<int>(e / width % ranks); }
    std::int64_t place_of(std::int64_t e) const { return e / width / ranks * width + e % width; }
};

/// Single elements at regular distances.
inline std::vector<plan::Strip> every_nth(std::int64_t elements, int source, int sources, int drain, int drains) {
    const std::int64_t period = std::lcm<std::int64_t>(sources, drains);
    for (std::int64_t e = 0; e < std::min(period, elements); ++e)
        if (e % sources == source && e % drains == drain)
            return {{{{e / sources, e / drains, 1}},
                     (elements - e + period - 1) / period,
                     period / sources,
                     period / drains}};
    return {};
}

/// All runs one by one.
inline std::vector<plan::Strip> run_by_run(std::int64_t elements, std::int64_t width, int source, int sources,
                                           int drain, int drains) {
    const Dealt before{width, sources}, after{width, drains};
    plan::Strip strip;
    for (std::int64_t e = 0; e < elements; e += width)
        if (before.rank_of(e) == source && after.rank_of(e) == drain)
            strip.runs.push_back({before.place_of(e), after.place_of(e), std::min(width, elements - e)});
    if (strip.runs.empty()) return {};
    return {strip};
}

inline std::vector<plan::Strip> strips_of(const ArrayCase &array, int source, int sources, int drain, int drains) {
    return array.shape == Shape::cyclic ? every_nth(array.elements, source, sources, drain, drains)
                                        : run_by_run(array.elements, 3, source, sources, drain, drains);
}

inline plan::Move dealt_move(const ArrayCase &array, const plan::Sizes &sizes, const plan::Place &place) {
    plan::Move move;
    const bool both = !sizes.anew && place.source && place.drain;
    move.unchanged = both && sizes.sources == sizes.drains;
    if (place.source)
        for (int drain = 0; drain < sizes.drains; ++drain) {
            auto strips = strips_of(array, *place.source, sizes.sources, drain, sizes.drains);
            if (strips.empty()) continue;
            if (both && drain == *place.drain)
                move.stays = std::move(strips);
            else
                move.sends.push_back({drain, std::move(strips)});
        }
    if (place.drain)
        for (int source = 0; source < sizes.sources; ++source) {
            auto strips = strips_of(array, source, sizes.sources, *place.drain, sizes.drains);
            if (!strips.empty() && !(both && source == *place.source))
                move.receives.push_back({source, std::move(strips)});
        }
    return move;
}

inline plan::Move move_of(const ArrayCase &array, const plan::Sizes &sizes, const plan::Place &place) {
    if (array.shape == Shape::block) return plan::move_of(plan::Layout::block, array.elements, sizes, place);
    if (array.shape == Shape::copies) return plan::move_of(plan::Layout::replicated, array.elements, sizes, place);
    return dealt_move(array, sizes, place);
}

/// The elements of one rank's part, in the order of their places.
inline std::vector<std::int64_t> elements_of(const ArrayCase &array, int rank, int ranks) {
    std::vector<std::int64_t> all;
    if (array.shape == Shape::block || array.shape == Shape::copies) {
        const auto layout = array.shape == Shape::block ? plan::Layout::block : plan::Layout::replicated;
        const plan::Range range = plan::Distribution{layout, array.elements, ranks}.range_of(rank);
        for (std::int64_t e = range.first; e < range.end; ++e) all.push_back(e);
        return all;
    }
    const Dealt dealt{array.shape == Shape::cyclic ? 1 : 3, ranks};
    for (std::int64_t e = 0; e < array.elements; ++e)
        if (dealt.rank_of(e) == rank) all.push_back(e);
    return all;
}

/// A part between guard bytes, which nobody may write to.
class Part {
public:
    explicit Part(std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes) + 2 * guard_bytes, guard) {}

    std::byte *data() { return bytes_.data() + guard_bytes; }
    std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size() - 2 * guard_bytes); }
    bool guards_are_whole() const {
        const auto is_guard = [](std::byte byte) { return byte == guard; };
        return std::all_of(bytes_.begin(), bytes_.begin() + guard_bytes, is_guard) &&
               std::all_of(bytes_.end() - guard_bytes, bytes_.end(), is_guard);
    }

private:
    static constexpr std::byte guard{0x5C};
    static constexpr std::ptrdiff_t guard_bytes = 64;
    std::vector<std::byte> bytes_;
};

inline std::byte content(std::size_t array, std::int64_t element, std::int64_t byte) {
    const auto mixed = (static_cast<std::uint64_t>(element) * 31 + static_cast<std::uint64_t>(byte) + 7 * array + 1) *
                       0x9E3779B97F4A7C15ULL;
    return static_cast<std::byte>(mixed >> 56);
}

/// One array as one rank holds it.
struct Held {
    ArrayCase is;
    std::size_t number;
    std::vector<std::int64_t> before, after; ///< elements
    Part from, to;

    Held(const ArrayCase &array, std::size_t index, const plan::Sizes &sizes, const plan::Place &place)
        : is(array), number(index),
          before(place.source ? elements_of(array, *place.source, sizes.sources) : std::vector<std::int64_t>{}),
          after(place.drain ? elements_of(array, *place.drain, sizes.drains) : std::vector<std::int64_t>{}),
          from(static_cast<std::int64_t>(before.size()) * array.extent),
          to(static_cast<std::int64_t>(after.size()) * array.extent) {
        for (std::size_t i = 0; i < before.size(); ++i)
            for (std::int64_t byte = 0; byte < is.extent; ++byte)
                from.data()[static_cast<std::int64_t>(i) * is.extent + byte] = content(number, before[i], byte);
    }

    bool holds(Part &part, const std::vector<std::int64_t> &elements) const {
        for (std::size_t i = 0; i < elements.size(); ++i)
            for (std::int64_t byte = 0; byte < is.extent; ++byte)
                if (part.data()[static_cast<std::int64_t>(i) * is.extent + byte] != content(number, elements[i], byte))
                    return false;
        return part.guards_are_whole();
    }
};

/// What one rank of the lane brings along.
struct Freight {
    std::vector<Held> held;
    std::vector<transfer::ArrayTransfer> array_transfers;

    Freight(const Case &what, const plan::Place &place) {
        held.reserve(what.arrays.size());
        for (std::size_t i = 0; i < what.arrays.size(); ++i) {
            Held &one = held.emplace_back(what.arrays[i], i, what.sizes, place);
            plan::Move move = move_of(what.arrays[i], what.sizes, place);
            std::byte *to = move.unchanged ? nullptr : one.to.data();
            array_transfers.push_back(
                {"array " + std::to_string(i), std::move(move), one.is.extent, one.from.data(), to});
        }
    }

    bool arrived() {
        for (std::size_t i = 0; i < held.size(); ++i) {
            Held &one = held[i];
            if (!one.holds(one.from, one.before)) return false;
            if (!one.holds(array_transfers[i].move.unchanged ? one.from : one.to, one.after)) return false;
        }
        return true;
    }
};

/// The lane of `what`, over the first ranks of `all`; collective over these.
inline nereus::mpi::Comm lane_comm(const Case &what, const nereus::mpi::Comm &all) {
    if (!what.inter) return *nereus::mpi::Comm::duplicate(all.get());
    const bool source = all.rank() < what.sizes.sources;
    auto side = *nereus::mpi::Comm::split(all.get(), source ? 0 : 1, all.rank());
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Intercomm_create(side.get(), 0, all.get(), source ? what.sizes.sources : 0, 1, &inter);
    return nereus::mpi::Comm(inter);
}

inline transfer::Lane lane_of(const Case &what, const nereus::mpi::Comm &comm) {
    transfer::Lane lane{comm.get(), {}};
    for (int drain = 0; drain < what.sizes.drains; ++drain)
        lane.drain_ranks.push_back(what.inter ? drain : what.first_drain() + drain);
    return lane;
}

inline std::string text_of(const Case &what) {
    static const char *const shapes[] = {"block", "copies", "cyclic", "cyclic-in-threes"};
    std::string text = nereus::words_of_transfer(what.method, what.strategy) + " " +
                       std::to_string(what.sizes.sources) + "->" + std::to_string(what.sizes.drains) +
                       (what.inter        ? " inter"
                        : what.sizes.anew ? " intra"
                                          : " merge") +
                       " messages of " + std::to_string(what.limits.message_bytes) + ", memory " +
                       std::to_string(what.limits.memory_bytes) + ":";
    for (const ArrayCase &array : what.arrays)
        text += std::string(" ") + shapes[static_cast<int>(array.shape)] + " " + std::to_string(array.elements) +
                " x " + std::to_string(array.extent);
    return text;
}

}
