// SPDX-License-Identifier: BSD-3-Clause
#include "plan/balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace nereus::plan {
namespace {

double sum_of(const std::vector<double> &values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double rows_of(const Borders &borders, std::size_t rank) {
    return static_cast<double>(borders[rank + 1] - borders[rank]);
}

/// Rows in a second of each rank. Of a rank that nothing is known of, the mean of the others.
std::vector<double> speeds_of(const Work &work) {
    std::vector<double> speeds(work.seconds.size(), 0.0);
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t rank = 0; rank < speeds.size(); ++rank) {
        if (work.seconds[rank] <= 0 || rows_of(work.borders, rank) <= 0) continue;
        speeds[rank] = rows_of(work.borders, rank) / work.seconds[rank];
        sum += speeds[rank];
        ++known;
    }
    for (double &speed : speeds)
        if (speed <= 0) speed = known > 0 ? sum / static_cast<double>(known) : 1.0;
    return speeds;
}

/// Whole rows for parts that end at `ends`, the last of which is the number of rows.
Borders borders_at(const std::vector<double> &ends, std::int64_t rows) {
    const std::int64_t ranks = std::ssize(ends), least = rows >= ranks ? 1 : 0;
    Borders borders{0};
    for (std::int64_t rank = 1; rank < ranks; ++rank) {
        const std::int64_t wanted = std::llround(ends[static_cast<std::size_t>(rank - 1)]);
        borders.push_back(std::clamp(wanted, borders.back() + least, rows - (ranks - rank) * least));
    }
    borders.push_back(rows);
    return borders;
}

}

double longest(const std::vector<double> &seconds) {
    return seconds.empty() ? 0.0 : *std::ranges::max_element(seconds);
}

std::vector<double> expected_seconds(const CostProfile &profile, const Borders &borders) {
    std::vector<double> seconds;
    for (std::size_t rank = 0; rank + 1 < borders.size(); ++rank)
        seconds.push_back(
            profile.seconds_of(static_cast<double>(borders[rank]), static_cast<double>(borders[rank + 1])));
    return seconds;
}

Borders balanced(const CostProfile &profile, int ranks) {
    const double each = profile.seconds_of(0, static_cast<double>(profile.rows())) / ranks;
    std::vector<double> ends;
    for (int rank = 1; rank <= ranks; ++rank) ends.push_back(profile.row_after(each * rank));
    return borders_at(ends, profile.rows());
}

std::vector<double> expected_seconds(const Work &work, const Borders &borders) {
    const std::vector<double> speeds = speeds_of(work);
    std::vector<double> seconds;
    for (std::size_t rank = 0; rank < speeds.size(); ++rank) seconds.push_back(rows_of(borders, rank) / speeds[rank]);
    return seconds;
}

Borders balanced(const Work &work) {
    if (sum_of(work.seconds) <= 0) return work.borders;
    const std::vector<double> speeds = speeds_of(work);
    const double all = sum_of(speeds), rows = static_cast<double>(work.borders.back());
    std::vector<double> ends;
    double before = 0;
    for (const double speed : speeds) ends.push_back(rows * ((before += speed) / all));
    return borders_at(ends, work.borders.back());
}

double difference_of_shares(const std::vector<double> &measured, const std::vector<double> &expected) {
    const double all_measured = sum_of(measured), all_expected = sum_of(expected);
    if (all_measured <= 0 || all_expected <= 0) return 0;
    double difference = 0;
    for (std::size_t rank = 0; rank < measured.size(); ++rank)
        difference += std::abs(measured[rank] / all_measured - expected[rank] / all_expected);
    return difference;
}

std::int64_t moved_rows(const Borders &before, const Borders &after) {
    std::int64_t stay = 0;
    for (std::size_t rank = 0; rank + 1 < before.size(); ++rank)
        stay += std::max<std::int64_t>(0, std::min(before[rank + 1], after[rank + 1]) -
                                              std::max(before[rank], after[rank]));
    return before.back() - stay;
}

}
