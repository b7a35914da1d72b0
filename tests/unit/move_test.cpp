// SPDX-License-Identifier: BSD-3-Clause
#include "resize_case.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <map>

namespace nereus::plan {
namespace {

using Pair = std::pair<int, int>; // source, drain
using Bytes = std::vector<std::byte>;

/// How often each element of a part comes to its owner.
std::vector<int> arrivals(const Move &move, const Part &part) {
    std::vector<int> times(part.size(), 0);
    auto come = [&](const std::vector<Strip> &strips) {
        for (const Step &step : steps_of(strips)) ++times.at(static_cast<std::size_t>(step.to));
    };
    for (const Piece &piece : move.receives) come(piece.strips);
    come(move.stays);
    return times;
}

RC_GTEST_PROP(Move, EachDrainGetsEachOfItsElementsExactlyOnce, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
    for (const Place &place : resize.places()) {
        if (!place.drain) continue;
        for (const int times : arrivals(resize.move(place), resize.after(*place.drain))) RC_ASSERT(times == 1);
    }
}

RC_GTEST_PROP(Move, WhatASourceSendsIsWhatTheDrainAwaits, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
    std::map<Pair, std::vector<Strip>> sent, awaited;
    for (const Place &place : resize.places()) {
        const Move move = resize.move(place);
        for (const Piece &piece : move.sends)
            RC_ASSERT(sent.emplace(Pair{place.source.value(), piece.peer}, piece.strips).second);
        for (const Piece &piece : move.receives)
            RC_ASSERT(awaited.emplace(Pair{piece.peer, place.drain.value()}, piece.strips).second);
    }
    RC_ASSERT(sent == awaited);
}

RC_GTEST_PROP(Move, ASourceSendsOnlyWhatItHasAndTheDrainWants, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
    for (const Place &place : resize.places())
        for (const Piece &piece : resize.move(place).sends) {
            const Part has = resize.before(place.source.value()), wants = resize.after(piece.peer);
            RC_ASSERT(piece.count() > 0);
            RC_ASSERT(piece.count() == static_cast<std::int64_t>(steps_of(piece.strips).size()));
            for (const Step &step : steps_of(piece.strips))
                RC_ASSERT(has.at(static_cast<std::size_t>(step.from)) == wants.at(static_cast<std::size_t>(step.to)));
        }
}

RC_GTEST_PROP(Move, ElementsTravelInTheOrderInWhichTheyLie, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
    for (const Place &place : resize.places())
        for (const Piece &piece : resize.move(place).sends) {
            const std::vector<Step> steps = steps_of(piece.strips);
            for (std::size_t i = 1; i < steps.size(); ++i)
                RC_ASSERT(steps[i - 1].from < steps[i].from && steps[i - 1].to < steps[i].to);
        }
}

RC_GTEST_PROP(Move, NobodySendsToItself, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
    for (const Place &place : resize.places()) {
        if (!place.source || !place.drain) continue;
        for (const Piece &piece : resize.move(place).sends) RC_ASSERT(piece.peer != *place.drain);
        for (const Piece &piece : resize.move(place).receives) RC_ASSERT(piece.peer != *place.source);
    }
}

RC_GTEST_PROP(Move, APartIsKeptInPlaceOnlyWhenItIsTheSameBeforeAndAfter, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
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
    resize.cut_after = resize.cut_before;
    for (const Place &place : resize.places()) {
        RC_ASSERT(resize.move(place).sends.empty());
        RC_ASSERT(resize.move(place).unchanged);
    }
}

RC_GTEST_PROP(Move, SourcesShareTheWorkOfSendingCopies, ()) {
    ResizeCase resize = any_resize();
    resize.cut_before = {Layout::replicated, 5, resize.sizes.sources};
    resize.cut_after = {Layout::replicated, 5, resize.sizes.drains};
    resize.sizes.kept.clear();
    std::size_t least = SIZE_MAX, most = 0;
    for (const Place &place : resize.places()) {
        if (!place.source) continue;
        least = std::min(least, resize.move(place).sends.size());
        most = std::max(most, resize.move(place).sends.size());
    }
    RC_ASSERT(most - least <= 1u);
}

ResizeCase huge_resize(const Shape &shape, const Sizes &sizes) {
    return {{shape, sizes.sources}, {shape, sizes.drains}, sizes};
}

RC_GTEST_PROP(Move, HugeJobsAreCutAlikeOnBothSides, ()) {
    Shape shape{Layout::block, *rc::gen::inRange<std::int64_t>(1, most_elements)};
    if (*rc::gen::arbitrary<bool>()) {
        shape.layout = Layout::weighted;
        shape.weights = {3, most_weight, 1};
    }
    const auto processes = rc::gen::inRange(900000, 1000001); // about as many on both sides: few pieces for each
    const ResizeCase resize = huge_resize(shape, {*processes, *processes, true});
    const int source = *rc::gen::inRange(0, resize.sizes.sources);
    for (const Piece &piece : resize.move({source, std::nullopt}).sends) {
        const auto awaited = resize.move({std::nullopt, piece.peer}).receives;
        RC_ASSERT(std::count(awaited.begin(), awaited.end(), Piece{source, piece.strips}) == 1);
    }
}

std::int64_t words_of(const Move &move) {
    std::int64_t words = 0;
    for (const auto *pieces : {&move.sends, &move.receives})
        for (const Piece &piece : *pieces)
            for (const Strip &strip : piece.strips) words += 1 + static_cast<std::int64_t>(strip.runs.size());
    for (const Strip &strip : move.stays) words += 1 + static_cast<std::int64_t>(strip.runs.size());
    return words;
}

std::int64_t received(const Move &move) {
    std::int64_t sum = 0;
    for (const Piece &piece : move.receives) sum += piece.count();
    return sum;
}

/// The last element of a drain's part comes from where it lay.
bool last_comes_from_its_place(const Move &move, const ResizeCase &resize, int drain) {
    for (const Piece &piece : move.receives)
        for (const Strip &strip : piece.strips) {
            const Run &run = strip.runs.back();
            const Step last{run.from + (strip.repeats - 1) * strip.from_step + run.count - 1,
                            run.to + (strip.repeats - 1) * strip.to_step + run.count - 1};
            if (last.to + 1 == resize.cut_after.count_of(drain))
                return last.from < resize.cut_before.count_of(piece.peer);
        }
    return false;
}

RC_GTEST_PROP(Move, APlanOfAHugeCyclicArrayIsAsShortAsThatOfASmallOne, ()) {
    Shape shape{Layout::cyclic, *rc::gen::inRange<std::int64_t>(most_elements / 2, most_elements + 1)};
    shape.block = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 100),
                                  rc::gen::inRange<std::int64_t>(1, most_elements / 1000));
    const ResizeCase resize = huge_resize(shape, {*rc::gen::inRange(1, 300), *rc::gen::inRange(1, 300), true});
    const int drain = *rc::gen::inRange(0, resize.sizes.drains);
    const Move move = resize.move({std::nullopt, drain});
    RC_ASSERT(words_of(move) <= 4 * resize.sizes.sources);
    RC_ASSERT(received(move) == resize.cut_after.count_of(drain));
    RC_ASSERT(last_comes_from_its_place(move, resize, drain));
}

TEST(Move, APlanOfALargeMatrixIsNoLongerThanItsSides) {
    const Shape shape{Layout::grid, 1000000000000, {}, 1, 1000000, 1000000, 64, 64};
    const ResizeCase resize = huge_resize(shape, {4, 9, true});
    for (int drain = 0; drain < 9; ++drain) {
        const Move move = resize.move({std::nullopt, drain});
        EXPECT_LE(words_of(move), 1000000);
        EXPECT_EQ(received(move), resize.cut_after.count_of(drain));
        EXPECT_TRUE(last_comes_from_its_place(move, resize, drain));
    }
}

TEST(Move, WideAndTallMatricesInHugeBlocksNeedFewWords) {
    constexpr std::int64_t side = std::int64_t{1} << 40;
    for (const Shape &shape :
         {Shape{Layout::grid, side, {}, 1, side, 1, side / 3, 5}, Shape{Layout::grid, 3 * side, {}, 1, 3, side, 2, 7},
          Shape{Layout::grid, 5 * side, {}, 1, side, 5, side / 3, 2}}) {
        const ResizeCase resize = huge_resize(shape, {6, 4, true});
        for (int drain = 0; drain < 4; ++drain) {
            EXPECT_LE(words_of(resize.move({std::nullopt, drain})), 200);
            EXPECT_EQ(received(resize.move({std::nullopt, drain})), resize.cut_after.count_of(drain));
        }
    }
}

RC_GTEST_PROP(Move, APlanForOtherBlocksOfAHugeArrayIsAsShortAsThatOfASmallOne, ()) {
    const auto elements = *rc::gen::inRange<std::int64_t>(most_elements / 2, most_elements + 1);
    const auto any_blocks = [&]() -> Shape {
        const auto block = *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(1, 40),
                                           rc::gen::inRange<std::int64_t>(most_elements / 8, most_elements));
        return *rc::gen::arbitrary<bool>() ? Shape{Layout::cyclic, elements, {}, block}
                                           : Shape{Layout::block, elements};
    };
    const int sources = *rc::gen::inRange(1, 20), drains = *rc::gen::inRange(1, 20);
    const ResizeCase resize{{any_blocks(), sources}, {any_blocks(), drains}, {sources, drains, true}};
    const int drain = *rc::gen::inRange(0, drains);
    const Move move = resize.move({std::nullopt, drain});
    RC_ASSERT(received(move) == resize.cut_after.count_of(drain));
    // Of each source, the runs of a period of both at most, and of what is left at the end.
    RC_ASSERT(words_of(move) <= 4 * 40 * 20 * sources);
    RC_ASSERT(received(move) == 0 || last_comes_from_its_place(move, resize, drain));
}

TEST(Move, OtherBlocksOfAMatrixNeedWordsForItsRowsOfBlocks) {
    constexpr std::int64_t side = 8192;
    const Distribution before{Shape{Layout::grid, side * side, {}, 1, side, side, 36, 36}, 2},
        after{Shape{Layout::grid, side * side, {}, 1, side, side, 128, 128}, 4}, rows{Layout::block, side * side, 3};
    for (int drain = 0; drain < 4; ++drain) {
        const Move move = ResizeCase{before, after, {2, 4, true}}.move({std::nullopt, drain});
        EXPECT_EQ(received(move), after.count_of(drain));
        EXPECT_LE(words_of(move), 10'000);
    }
    for (int drain = 0; drain < 3; ++drain) {
        const Move move = ResizeCase{after, rows, {4, 3, true}}.move({std::nullopt, drain});
        EXPECT_EQ(received(move), rows.count_of(drain));
        EXPECT_LE(words_of(move), 10'000);
    }
}

TEST(Move, RowStartsThatASurvivorHoldsAsItsHaloAreNotSentAgain) {
    // Rows 0-3 | 4-7 become 0-2 | 3-5 | 6-7: start 4 lies at both sources, and source 0 keeps its own.
    const Distribution before = Distribution{Layout::block, 8, 2}.with_halo(1),
                       after = Distribution{Layout::block, 8, 3}.with_halo(1);
    const Move second = move_of(before, after, {2, 3, false}, {1, 1});
    EXPECT_EQ(second.stays, (std::vector<Strip>{{{{0, 1, 3}}}}));           // starts 4 5 6
    EXPECT_EQ(second.receives, (std::vector<Piece>{{0, {{{{3, 0, 1}}}}}})); // start 3
    EXPECT_EQ(second.sends, (std::vector<Piece>{{2, {{{{2, 0, 3}}}}}}));    // starts 6 7 8
}

/// One process of a simulated transfer.
struct Process {
    Place place;
    Bytes old_part, new_part;
    Move move;
};

Bytes slice(const Bytes &all, const Part &part, std::int64_t extent) {
    Bytes bytes;
    for (const std::int64_t element : part)
        bytes.insert(bytes.end(), all.begin() + element * extent, all.begin() + (element + 1) * extent);
    return bytes;
}

std::vector<Process> processes_of(const ResizeCase &resize, const Bytes &global, std::int64_t extent) {
    std::vector<Process> all;
    for (const Place &place : resize.places()) {
        const Part before = place.source ? resize.before(*place.source) : Part{};
        const Part after = place.drain ? resize.after(*place.drain) : Part{};
        all.push_back(
            {place, slice(global, before, extent), Bytes(after.size() * extent, std::byte{0xEE}), resize.move(place)});
    }
    return all;
}

void copy(const Bytes &from, Bytes &to, const std::vector<Strip> &strips, std::int64_t extent) {
    for (const Step &step : steps_of(strips))
        std::copy_n(from.begin() + step.from * extent, extent, to.begin() + step.to * extent);
}

/// What src/transfer does with MPI, with copies.
void carry(std::vector<Process> &all, std::int64_t extent) {
    std::map<int, Process *> drains;
    for (Process &process : all)
        if (process.place.drain) drains[*process.place.drain] = &process;
    for (Process &process : all) {
        for (const Piece &piece : process.move.sends)
            copy(process.old_part, drains.at(piece.peer)->new_part, piece.strips, extent);
        copy(process.old_part, process.new_part, process.move.stays, extent);
    }
}

RC_GTEST_PROP(Move, TheBytesOfAWholeTransferAreTheOldOnesInTheirNewPlaces, ()) {
    const ResizeCase resize = any_resize_or_redistribution();
    const auto extent = *rc::gen::inRange<std::int64_t>(1, 25);
    const auto content = *rc::gen::container<std::vector<std::uint8_t>>(
        static_cast<std::size_t>(resize.cut_before.elements() * extent), rc::gen::arbitrary<std::uint8_t>());
    Bytes global;
    for (const std::uint8_t byte : content) global.push_back(std::byte{byte});
    std::vector<Process> all = processes_of(resize, global, extent);
    carry(all, extent);
    for (const Process &process : all)
        if (process.place.drain)
            RC_ASSERT(process.new_part == slice(global, resize.after(*process.place.drain), extent));
}

std::vector<Strip> one_run(std::int64_t from, std::int64_t to, std::int64_t count) { return {{{{from, to, count}}}}; }

TEST(Move, TwoToFourGivesTheSecondSourceASliceOfTheFirst) {
    const Sizes sizes{2, 4, false};
    const Move first = move_of(Layout::block, 8, sizes, {0, 0}), second = move_of(Layout::block, 8, sizes, {1, 1});
    EXPECT_EQ(first.stays, one_run(0, 0, 2));
    EXPECT_EQ(first.sends, (std::vector<Piece>{{1, one_run(2, 0, 2)}}));
    EXPECT_EQ(second.receives, (std::vector<Piece>{{0, one_run(2, 0, 2)}}));
    EXPECT_EQ(second.sends, (std::vector<Piece>{{2, one_run(0, 0, 2)}, {3, one_run(2, 0, 2)}}));
    EXPECT_TRUE(second.stays.empty());
}

}
}
