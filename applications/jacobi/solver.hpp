// SPDX-License-Identifier: BSD-3-Clause
// Jacobi's method on rows in blocks: an iteration has one MPI_Allgatherv and one MPI_Allreduce of a double. Matrix and
// right side are constant data, the solution is variable. A sum over a row is made by one process, always from the
// first column to the last, so that the result has the same bits however the rows are cut.
#pragma once

#include "applications/gather.hpp"

#include <optional>

namespace jacobi {

/// What all processes know, and newcomers are told.
struct State {
    std::int64_t iterations = 0;  ///< done
    std::int64_t rolled_back = 0; ///< resizes; counted by rank 0
    std::int64_t writes = 0;      ///< of the file
    double change = 0;            ///< greatest |x_i of this iteration - x_i of the one before|
    double began = 0;             ///< date of the first iteration
};

/// A process' part of the work in its stay in the job. To be kept until the job is closed, which writes to its members.
class Solver {
public:
    /// Collective. Founders make the system and begin with x = 0, newcomers get what there is.
    Solver(nereus::Job &job, std::int64_t rows);
    Solver(const Solver &) = delete;

    /// Collective: after each resize, before the next iteration.
    void begin_generation();
    /// Collective.
    void iterate();

    /// Collective. The whole solution; valid until the next of these calls, or an iteration.
    std::span<const double> gathered();
    std::span<const double> part() const { return x_->span(); } ///< of the solution
    std::int64_t first() const { return x_->first(); }          ///< number of its first element

    /// Collective. Greatest distance of an element from what it should be.
    double error() const;
    /// What error() can be at most after the latest iteration: as much as the iterations that would follow could
    /// change, and what is rounded in sums of a row.
    double error_bound() const;

    State state;

private:
    void start();
    double improved(std::span<const double> all);

    nereus::Job &job_;
    std::int64_t rows_;
    void *matrix_ = nullptr; ///< rows of doubles
    std::optional<nereus::Array<double>> right_side_, x_;
    std::optional<applications::Gather> gather_;
};

}
