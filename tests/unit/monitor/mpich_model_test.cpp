// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: a picture of collectives on MPICH in which data goes where it could not come from.
#include "record/mpich_model.hpp"

#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <tuple>

namespace nereus::monitor {
namespace {

using Matrix = std::map<std::pair<int, int>, std::vector<std::uint64_t>>; ///< messages between two ranks, in order

Matrix matrix_of(CollectiveCall call, const MpichLimits &limits = {}) {
    Matrix sent;
    for (call.rank = 0; call.rank < call.ranks; ++call.rank)
        sent_by_mpich(call, limits, [&](int to, std::uint64_t bytes) { sent[{call.rank, to}].push_back(bytes); });
    return sent;
}

std::uint64_t sum(const std::vector<std::uint64_t> &sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
}

std::uint64_t bytes_to(const Matrix &matrix, int rank) {
    std::uint64_t bytes = 0;
    for (const auto &[ends, sizes] : matrix)
        if (ends.second == rank) bytes += sum(sizes);
    return bytes;
}

std::uint64_t bytes_from(const Matrix &matrix, int rank) {
    std::uint64_t bytes = 0;
    for (const auto &[ends, sizes] : matrix)
        if (ends.first == rank) bytes += sum(sizes);
    return bytes;
}

std::uint64_t messages_in(const Matrix &matrix) {
    std::uint64_t messages = 0;
    for (const auto &[ends, sizes] : matrix) messages += sizes.size();
    return messages;
}

CollectiveCall any_call(Call call) {
    CollectiveCall made;
    made.call = call;
    made.ranks = *rc::gen::inRange(2, 40);
    made.root = *rc::gen::inRange(0, made.ranks);
    made.elements = *rc::gen::inRange<std::uint64_t>(1, 200000);
    made.sizes = {8 * made.elements};
    return made;
}

/// Nobody sends itself anything, and all ranks are there.
void check_ends(const Matrix &matrix, int ranks) {
    for (const auto &[ends, sizes] : matrix) {
        RC_ASSERT(ends.first != ends.second);
        RC_ASSERT(ends.second >= 0 && ends.second < ranks);
    }
}

TEST(mpich_model, a_small_broadcast_is_the_binomial_tree) {
    const Matrix tree = matrix_of({Call::bcast, 0, 8, 0, {100}});
    const Matrix expected{{{0, 4}, {100}}, {{0, 2}, {100}}, {{0, 1}, {100}}, {{2, 3}, {100}},
                          {{4, 6}, {100}}, {{4, 5}, {100}}, {{6, 7}, {100}}};
    EXPECT_EQ(tree, expected);
}

TEST(mpich_model, a_small_reduce_is_that_tree_upwards) {
    const Matrix tree = matrix_of({Call::reduce, 0, 4, 1, {100}, 100});
    EXPECT_EQ(tree, (Matrix{{{2, 1}, {100}}, {{3, 1}, {100}}, {{0, 3}, {100}}}));
}

TEST(mpich_model, a_large_allreduce_halves_and_doubles) {
    const Matrix sent = matrix_of({Call::allreduce, 0, 4, 0, {8000}, 1000});
    // Each exchanges a half with its neighbour, then a quarter with the one beyond, then the same back.
    EXPECT_EQ(sent.at({0, 1}), (std::vector<std::uint64_t>{4000, 4000}));
    EXPECT_EQ(sent.at({0, 2}), (std::vector<std::uint64_t>{2000, 2000}));
    EXPECT_EQ(bytes_from(sent, 3), 2u * 8000 * 3 / 4); // Thakur et al., section 4.5: 2 n (p-1)/p
}

RC_GTEST_PROP(mpich_model, a_broadcast_brings_all_bytes_to_all_others, ()) {
    const CollectiveCall call = any_call(Call::bcast);
    const Matrix sent = matrix_of(call);
    check_ends(sent, call.ranks);
    for (int rank = 0; rank < call.ranks; ++rank)
        if (rank != call.root) RC_ASSERT(bytes_to(sent, rank) >= call.sizes.front());
}

RC_GTEST_PROP(mpich_model, a_gather_brings_all_to_the_root_and_a_scatter_is_its_mirror, ()) {
    CollectiveCall call = any_call(Call::gather);
    const Matrix up = matrix_of(call);
    call.call = Call::scatter;
    const Matrix down = matrix_of(call);
    RC_ASSERT(bytes_to(up, call.root) == call.sizes.front() * static_cast<std::uint64_t>(call.ranks - 1));
    for (const auto &[ends, sizes] : up) RC_ASSERT(down.at({ends.second, ends.first}) == sizes);
    RC_ASSERT(up.size() == down.size());
    RC_ASSERT(messages_in(up) == static_cast<std::uint64_t>(call.ranks - 1));
}

RC_GTEST_PROP(mpich_model, an_allgather_brings_each_part_of_the_others_once, ()) {
    CollectiveCall call = any_call(Call::allgather);
    call.sizes.clear();
    for (int rank = 0; rank < call.ranks; ++rank) call.sizes.push_back(*rc::gen::inRange<std::uint64_t>(0, 60000));
    const Matrix sent = matrix_of(call);
    check_ends(sent, call.ranks);
    for (int rank = 0; rank < call.ranks; ++rank)
        RC_ASSERT(bytes_to(sent, rank) == sum(call.sizes) - call.sizes[static_cast<std::size_t>(rank)]);
}

RC_GTEST_PROP(mpich_model, a_reduction_leaves_nobody_out_and_the_root_alone_sends_no_more_than_it_must, ()) {
    const CollectiveCall call = any_call(Call::reduce);
    const Matrix sent = matrix_of(call);
    check_ends(sent, call.ranks);
    for (int rank = 0; rank < call.ranks; ++rank)
        if (rank != call.root) RC_ASSERT(bytes_from(sent, rank) > 0u);
    // What comes to the root: parts of all others, each once combined at most.
    RC_ASSERT(bytes_to(sent, call.root) >= call.sizes.front() * static_cast<std::uint64_t>(call.ranks > 1));
}

RC_GTEST_PROP(mpich_model, all_ranks_of_an_allreduce_get_at_least_the_result_of_the_others, ()) {
    const CollectiveCall call = any_call(Call::allreduce);
    const Matrix sent = matrix_of(call);
    check_ends(sent, call.ranks);
    for (int rank = 0; rank < call.ranks; ++rank) RC_ASSERT(bytes_to(sent, rank) >= call.sizes.front());
}

RC_GTEST_PROP(mpich_model, what_a_rank_gets_of_a_reduce_scatter_is_at_least_its_own_part, ()) {
    CollectiveCall call = any_call(Call::reduce_scatter);
    call.sizes.clear();
    for (int rank = 0; rank < call.ranks; ++rank) call.sizes.push_back(*rc::gen::inRange<std::uint64_t>(1, 60000));
    const Matrix sent = matrix_of(call);
    check_ends(sent, call.ranks);
    for (int rank = 0; rank < call.ranks; ++rank)
        RC_ASSERT(bytes_to(sent, rank) >= call.sizes[static_cast<std::size_t>(rank)]);
}

RC_GTEST_PROP(mpich_model, a_barrier_lets_each_hear_of_all, ()) {
    const CollectiveCall call = any_call(Call::barrier);
    std::vector<std::vector<bool>> heard(static_cast<std::size_t>(call.ranks));
    std::vector<std::vector<int>> rounds(static_cast<std::size_t>(call.ranks));
    for (CollectiveCall each = call; each.rank < each.ranks; ++each.rank) {
        auto &own = heard[static_cast<std::size_t>(each.rank)];
        own.assign(static_cast<std::size_t>(call.ranks), false);
        own[static_cast<std::size_t>(each.rank)] = true;
        sent_by_mpich(each, {},
                      [&](int to, std::uint64_t) { rounds[static_cast<std::size_t>(each.rank)].push_back(to); });
    }
    for (std::size_t round = 0; round < rounds.front().size(); ++round) {
        const auto before = heard;
        for (std::size_t from = 0; from < rounds.size(); ++from)
            for (std::size_t of = 0; of < rounds.size(); ++of)
                if (before[from][of]) heard[static_cast<std::size_t>(rounds[from][round])][of] = true;
    }
    for (const auto &own : heard) RC_ASSERT(std::count(own.begin(), own.end(), false) == 0);
}

}
}
