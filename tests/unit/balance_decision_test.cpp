// SPDX-License-Identifier: BSD-3-Clause
// When rows move: on loads that are played through, iteration by iteration, without processes.
#include "plan/balance_decision.hpp"
#include "plan/layout.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

namespace nereus::plan {
namespace {

constexpr std::int64_t rows = 10000;
constexpr double pause = 0.01; // seconds of a move
constexpr std::int64_t window = 10;

/// Seconds of a row, by row, rank and iteration.
using SecondsOfRow = std::function<double(std::int64_t, int, std::int64_t)>;

struct Played {
    double seconds = 0; ///< of the slowest rank in each iteration, and of moves
    double fixed = 0;   ///< the same if no row moved
    double ideal = 0;   ///< if all ranks always took the same time
    int moves = 0;
};

double seconds_of(const SecondsOfRow &cost, Range rows_of_rank, int rank, std::int64_t iteration) {
    constexpr std::int64_t step = 10; // of rows that cost about the same
    double sum = 0;
    for (std::int64_t row = rows_of_rank.first; row < rows_of_rank.end; row += step)
        sum += cost(row, rank, iteration) * static_cast<double>(std::min(step, rows_of_rank.end - row));
    return sum;
}

std::vector<double> seconds_of_all(const SecondsOfRow &cost, const Borders &borders, std::int64_t iteration) {
    std::vector<double> seconds;
    for (std::size_t rank = 0; rank + 1 < borders.size(); ++rank)
        seconds.push_back(seconds_of(cost, {borders[rank], borders[rank + 1]}, static_cast<int>(rank), iteration));
    return seconds;
}

Borders equal_parts(int ranks) {
    Borders borders;
    for (int rank = 0; rank <= ranks; ++rank) borders.push_back(rows * rank / ranks);
    return borders;
}

/// @param ideal  seconds of an iteration on balanced ranks
Played play(const SecondsOfRow &cost, int ranks, std::int64_t iterations,
            const std::function<double(std::int64_t)> &ideal) {
    Played played;
    BalanceDecision decision;
    const Borders equal = equal_parts(ranks);
    Borders borders = equal;
    for (std::int64_t iteration = 1; iteration <= iterations; ++iteration) {
        const auto seconds = seconds_of_all(cost, borders, iteration);
        played.seconds += longest(seconds);
        played.fixed += longest(seconds_of_all(cost, equal, iteration));
        played.ideal += ideal(iteration);
        if (iteration % window != 0) continue;
        const Borders next = decision.next({borders, seconds}, window, 64);
        if (next.empty()) continue;
        borders = next;
        played.seconds += pause;
        ++played.moves;
        decision.moved(pause);
    }
    return played;
}

double share_of_ideal_gain(const Played &played) {
    return (played.fixed - played.seconds) / (played.fixed - played.ideal);
}

/// A quarter of the rows cost four times as much, and move on; an iteration takes as long on any number of ranks.
SecondsOfRow drifting(double rows_per_iteration, int ranks) {
    return [=](std::int64_t row, int, std::int64_t iteration) {
        const auto begin = std::fmod(rows_per_iteration * static_cast<double>(iteration), double{rows});
        const double behind = std::fmod(static_cast<double>(row) - begin + double{rows}, double{rows});
        return (behind < rows / 4.0 ? 4e-6 : 1e-6) * ranks;
    };
}

double ideal_of_drifting() { return rows * 1e-6 * 1.75; }

Played play_drift(double rows_per_iteration, int ranks) {
    return play(drifting(rows_per_iteration, ranks), ranks, 3000, [](std::int64_t) { return ideal_of_drifting(); });
}

TEST(BalanceDecision, RegainsNineTenthsOfTheTimeWhereTheLoadDrifts) {
    for (const int ranks : {2, 4, 16}) {
        const auto played = play_drift(1, ranks);
        EXPECT_GT(share_of_ideal_gain(played), 0.9) << ranks << " ranks, " << played.moves << " moves";
    }
}

/// Moves that follow at once cost what they gain: in between there is less to regain.
TEST(BalanceDecision, GainsMostOfTheTimeWhereTheLoadDriftsFast) {
    for (const int ranks : {2, 4, 16}) EXPECT_GT(share_of_ideal_gain(play_drift(10, ranks)), 0.6) << ranks;
}

TEST(BalanceDecision, GivesASlowRankWhatItCanDo) {
    const SecondsOfRow cost = [](std::int64_t, int rank, std::int64_t) { return rank == 1 ? 4e-6 : 2e-6; };
    const auto played = play(cost, 4, 1000, [](std::int64_t) { return rows * 2e-6 / 3.5; });
    EXPECT_GT(share_of_ideal_gain(played), 0.95);
    EXPECT_LE(played.moves, 4) << "once the cause is known, one move is enough";
}

TEST(BalanceDecision, LeavesAnEvenLoadAlone) {
    const SecondsOfRow cost = [](std::int64_t, int, std::int64_t) { return 2e-6; };
    const auto played = play(cost, 4, 1000, [](std::int64_t) { return rows * 2e-6 / 4; });
    EXPECT_EQ(played.moves, 0);
}

TEST(BalanceDecision, LeavesAloneWhatVariesByLittle) {
    const SecondsOfRow cost = [](std::int64_t, int rank, std::int64_t iteration) {
        return 2e-6 * (1 + 0.005 * std::sin(double(iteration) + rank));
    };
    EXPECT_EQ(play(cost, 4, 2000, [](std::int64_t) { return 0.0; }).moves, 0);
}

TEST(BalanceDecision, WaitsUntilAMoveIsPaidFor) {
    BalanceDecision decision;
    const Work work{{0, 5000, 10000}, {0.001, 0.002}}; // half a millisecond could be saved in each iteration
    EXPECT_TRUE(decision.next(work, 10, 0).empty());
    EXPECT_TRUE(decision.next(work, 10, 0).empty());
    EXPECT_TRUE(decision.next(work, 10, 0).empty());
    EXPECT_FALSE(decision.next(work, 10, 0).empty()) << "four times 10 iterations are the 20 ms of a first move";
    EXPECT_NEAR(decision.before(), 0.002, 1e-9);
    EXPECT_NEAR(decision.after(), 0.0015, 1e-6);
}

TEST(BalanceDecision, WaitsLongerForAMoveOfMoreBytes) {
    BalanceDecision decision;
    const Work work{{0, 5000, 10000}, {0.001, 0.002}};
    for (int time = 0; time < 10; ++time) EXPECT_TRUE(decision.next(work, 10, 1'000'000).empty());
}

/// A load that changes to and fro at its worst: each time when rows have just moved.
TEST(BalanceDecision, LosesAtMostTwiceTheMovesWhereTheLoadTurnsAgainstIt) {
    BalanceDecision decision;
    Borders borders{0, 5000, 10000};
    double lost = 0, paid = 0;
    bool first_is_dear = true;
    for (int turn = 0; turn < 2000; ++turn) {
        const SecondsOfRow cost = [&](std::int64_t row, int, std::int64_t) {
            return (row < rows / 2) == first_is_dear ? 4e-6 : 2e-6;
        };
        const auto seconds = seconds_of_all(cost, borders, 0);
        lost += (longest(seconds) - 0.015) * window; // each rank could take 15 ms
        const Borders next = decision.next({borders, seconds}, window, 0);
        if (next.empty()) continue;
        borders = next;
        paid += pause;
        decision.moved(pause);
        first_is_dear = !first_is_dear;
    }
    EXPECT_GT(paid, 0);
    // One look, of ten iterations at 10 ms more, is what nobody can know before.
    EXPECT_LT(lost, 25 * paid);
}

RC_GTEST_PROP(BalanceDecision, MovesOnlyWhereItExpectsAGain, ()) {
    const int ranks = *rc::gen::inRange(2, 9);
    Work work{{0}, {}};
    for (int rank = 0; rank < ranks; ++rank) {
        work.borders.push_back(work.borders.back() + *rc::gen::inRange(1, 1000));
        work.seconds.push_back(*rc::gen::inRange(0, 1000) / 1000.0);
    }
    BalanceDecision decision;
    const Borders next = decision.next(work, 1000, 0);
    if (next.empty()) return;
    RC_ASSERT(next.size() == work.borders.size() && next.back() == work.borders.back());
    RC_ASSERT(decision.after() < 0.98 * decision.before());
}

}
}
