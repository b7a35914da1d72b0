// SPDX-License-Identifier: BSD-3-Clause
// What rows cost: all the same, but for some in a row that cost more and move on, and for ranks that are slower.
#pragma once

#include <cstdint>
#include <vector>

namespace drift {

struct Load {
    std::int64_t rows = 10000;
    double seconds = 0.02;         ///< of an iteration on one rank, if no row cost more
    double dear_share = 0.25;      ///< of the rows: those that cost more
    double dear_factor = 1;        ///< as much more; 1: all cost the same
    double rows_per_iteration = 0; ///< by which they move on; from the end they go on at the beginning
    std::vector<double> slowness;  ///< of rank r: its r-th, by which its rows take longer; 1 where there is none

    /// Of rows [first, end) in an iteration.
    double seconds_of(std::int64_t first, std::int64_t end, std::int64_t iteration, int rank) const;

    /// Of the iteration where all ranks take the same time.
    double ideal_seconds(std::int64_t iteration, int ranks) const;

private:
    double slowness_of(int rank) const;
};

}
