// SPDX-License-Identifier: BSD-3-Clause
// What rows cost, learned from what ranks took for theirs: each new time scales the cost of the rows that it is of, and
// what earlier times with other borders told of differences among them remains.
#pragma once

#include <cstdint>
#include <vector>

namespace nereus::plan {

using Borders = std::vector<std::int64_t>; ///< of the rows of ranks 0 .. n-1, then the number of rows

/// What ranks took in an iteration for the rows that they had.
struct Work {
    Borders borders;
    std::vector<double> seconds; ///< of each rank, from 0
};

class CostProfile {
public:
    /// All rows cost the same.
    explicit CostProfile(std::int64_t rows);

    void learn(const Work &work);

    double seconds_of(double first, double end) const; ///< of rows
    double row_after(double seconds) const;            ///< up to which row those from the first one take so long

    std::int64_t rows() const { return rows_; }

private:
    double seconds_up_to(double row) const;
    double rows_in_cell() const { return static_cast<double>(rows_) / static_cast<double>(cells_.size()); }
    void scale(double first, double end, double factor);
    void add_up();

    std::int64_t rows_;
    std::vector<double> cells_; ///< seconds of as many rows each
    std::vector<double> sums_;  ///< of the cells before each, then of all
};

}
