// SPDX-License-Identifier: BSD-3-Clause
#include "resize_case.hpp"
#include "transfer/transfer.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace nereus::plan {
namespace {

using Pair = std::pair<int, int>; // source, drain
using Bytes = std::vector<std::byte>;

/// How often each element of a part of `part` elements comes to its owner.
std::vector<int> arrivals(const Move &move, Range part) {
    std::vector<int> times(static_cast<std::size_t>(part.count()), 0);
    auto come = [&](Range elements) {
        for (auto i = elements.first; i < elements.end; ++i) ++times.at(static_cast<std::size_t>(i - part.first));
    };
    for (const Piece &piece : move.receives) come(piece.elements);
    come(move.stays);
    return times;
}

RC_GTEST_PROP(Move, EachDrainGetsEachOfItsElementsExactlyOnce, ()) {
    const ResizeCase resize = any_resize();
    for (const Place &place : resize.places()) {
        if (!place.drain) continue;
        for (const int times : arrivals(resize.move(place), resize.after(*place.drain))) RC_ASSERT(times == 1);
    }
}

RC_GTEST_PROP(Move, WhatASourceSendsIsWhatTheDrainAwaits, ()) {
    const ResizeCase resize = any_resize();
    std::map<Pair, std::vector<Range>> sent, awaited;
    for (const Place &place : resize.places()) {
        const Move move = resize.move(place);
        for (const Piece &piece : move.sends) sent[{place.source.value(), piece.peer}].push_back(piece.elements);
        for (const Piece &piece : move.receives) awaited[{piece.peer, place.drain.value()}].push_back(piece.elements);
    }
    RC_ASSERT(sent == awaited);
}

RC_GTEST_PROP(Move, ASourceSendsOnlyWhatItHas, ()) {
    const ResizeCase resize = any_resize();
    for (const Place &place : resize.places())
        for (const Piece &piece : resize.move(place).sends) {
            RC_ASSERT(!piece.elements.empty());
            RC_ASSERT(overlap(piece.elements, resize.before(place.source.value())) == piece.elements);
        }
}

RC_GTEST_PROP(Move, NobodySendsToItself, ()) {
    const ResizeCase resize = any_resize();
    for (const Place &place : resize.places()) {
        if (!place.source || !place.drain) continue;
        for (const Piece &piece : resize.move(place).sends) RC_ASSERT(piece.peer != *place.drain);
        for (const Piece &piece : resize.move(place).receives) RC_ASSERT(piece.peer != *place.source);
    }
}

RC_GTEST_PROP(Move, APartIsKeptInPlaceOnlyWhenItIsTheSameBeforeAndAfter, ()) {
    const ResizeCase resize = any_resize();
    for (const Place &place : resize.places()) {
        const bool same = place.source && place.drain && resize.before(*place.source) == resize.after(*place.drain);
        const Move move = resize.move(place);
        RC_ASSERT(move.unchanged == same);
        if (same) RC_ASSERT(move.receives.empty());
    }
}

RC_GTEST_PROP(Move, TheSameSizeAgainMovesNothingWithMerge, ()) {
    ResizeCase resize = any_resize();
    resize.sizes = {resize.sizes.sources, resize.sizes.sources, false};
    for (const Place &place : resize.places()) {
        RC_ASSERT(resize.move(place).sends.empty());
        RC_ASSERT(resize.move(place).unchanged);
    }
}

RC_GTEST_PROP(Move, SourcesShareTheWorkOfSendingCopies, ()) {
    ResizeCase resize = any_resize();
    resize.layout = Layout::replicated;
    std::size_t least = SIZE_MAX, most = 0;
    for (const Place &place : resize.places()) {
        if (!place.source) continue;
        least = std::min(least, resize.move(place).sends.size());
        most = std::max(most, resize.move(place).sends.size());
    }
    RC_ASSERT(most - least <= 1u);
}

RC_GTEST_PROP(Move, HugeJobsAreCutAlikeOnBothSides, ()) {
    const auto elements = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 62);
    const auto processes = rc::gen::inRange(900000, 1000001); // about as many on both sides: few pieces for each
    const ResizeCase resize{Layout::block, elements, {*processes, *processes, true}};
    const int source = *rc::gen::inRange(0, resize.sizes.sources);
    for (const Piece &piece : resize.move({source, std::nullopt}).sends) {
        const auto awaited = resize.move({std::nullopt, piece.peer}).receives;
        RC_ASSERT(std::count(awaited.begin(), awaited.end(), Piece{source, piece.elements}) == 1);
    }
}

/// One process of a simulated transfer.
struct Process {
    Bytes old_part, new_part;
    transfer::Shipment shipment;
};

Bytes slice(const Bytes &all, Range elements, std::int64_t extent) {
    return {all.begin() + elements.first * extent, all.begin() + elements.end * extent};
}

std::vector<Process> processes_of(const ResizeCase &resize, const Bytes &global, std::int64_t extent) {
    std::vector<Process> all;
    for (const Place &place : resize.places()) {
        const Range before = place.source ? resize.before(*place.source) : Range{};
        const Range after = place.drain ? resize.after(*place.drain) : Range{};
        Process &p = all.emplace_back(Process{slice(global, before, extent), {}, {}});
        p.new_part.assign(static_cast<std::size_t>(after.count() * extent), std::byte{0xEE});
        p.shipment = {resize.move(place), extent, p.old_part.data(), before.first, p.new_part.data(), after.first};
    }
    return all;
}

void copy(const transfer::Shipment &from, const transfer::Shipment &to, Range elements) {
    std::copy_n(from.outgoing(elements), from.bytes(elements), to.incoming(elements));
}

/// What src/transfer does with MPI, with copies.
void carry(const std::vector<Process> &all, const std::vector<Place> &places) {
    std::map<int, const transfer::Shipment *> drains;
    for (std::size_t i = 0; i < all.size(); ++i)
        if (places[i].drain) drains[*places[i].drain] = &all[i].shipment;
    for (const Process &process : all) {
        const transfer::Shipment &shipment = process.shipment;
        for (const Piece &piece : shipment.move.sends) copy(shipment, *drains.at(piece.peer), piece.elements);
        if (!shipment.move.stays.empty()) copy(shipment, shipment, shipment.move.stays);
    }
}

RC_GTEST_PROP(Move, TheBytesOfAWholeTransferAreTheOldOnesInTheirNewPlaces, ()) {
    const ResizeCase resize = any_resize();
    const auto extent = *rc::gen::inRange<std::int64_t>(1, 25);
    const auto content = *rc::gen::container<std::vector<std::uint8_t>>(
        static_cast<std::size_t>(resize.elements * extent), rc::gen::arbitrary<std::uint8_t>());
    Bytes global;
    for (const std::uint8_t byte : content) global.push_back(std::byte{byte});
    const std::vector<Place> places = resize.places();
    const std::vector<Process> all = processes_of(resize, global, extent);
    carry(all, places);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (places[i].drain) RC_ASSERT(all[i].new_part == slice(global, resize.after(*places[i].drain), extent));
}

TEST(Move, TwoToFourGivesTheSecondSourceASliceOfTheFirst) {
    const Sizes sizes{2, 4, false};
    const Move first = move_of(Layout::block, 8, sizes, {0, 0}), second = move_of(Layout::block, 8, sizes, {1, 1});
    EXPECT_EQ(first.stays, (Range{0, 2}));
    EXPECT_EQ(first.sends, (std::vector<Piece>{{1, {2, 4}}}));
    EXPECT_EQ(second.receives, (std::vector<Piece>{{0, {2, 4}}}));
    EXPECT_EQ(second.sends, (std::vector<Piece>{{2, {4, 6}}, {3, {6, 8}}}));
    EXPECT_TRUE(second.stays.empty());
}

}
}
