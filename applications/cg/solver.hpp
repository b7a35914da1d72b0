// SPDX-License-Identifier: BSD-3-Clause
// Conjugate Gradient on rows in blocks, as in Martín-Álvarez et al. 2024, section 5.1: an iteration has one
// MPI_Allgatherv and two MPI_Allreduce of a double. The matrix is constant data, x, r, p and the scalars are variable.
#pragma once

#include "applications/cg/matrix_source.hpp"
#include "applications/gather.hpp"

#include <optional>

namespace cg {

/// What all processes know, and newcomers are told.
struct State {
    std::int64_t rows = 0;
    std::int64_t iterations = 0;  ///< done
    std::int64_t rolled_back = 0; ///< resizes; counted by rank 0
    double right_side = 0;        ///< b·b
    double residual = 0;          ///< r·r
    double curvature = 0;         ///< p·Ap of the iteration before, or about that of the first one
    double began = 0;             ///< date of the first iteration
};

/// How good x is.
struct Solution {
    double true_residual; ///< |b - A x| / |b|, computed anew
    double error;         ///< greatest |x_i - 1|
    std::string checksum; ///< of x
};

/// A process' part of the work in its stay in the job. To be kept until the job is closed, which writes to its members.
class Solver {
public:
    /// Collective. Founders tell the number of rows; newcomers get it.
    Solver(nereus::Job &job, std::int64_t rows);
    Solver(const Solver &) = delete;

    /// Collective, by founders: makes the matrix and begins with x = 0. @return false where the matrix cannot be had,
    /// which has been said
    bool begin(const MatrixSource &source);
    /// Collective, by newcomers: gets the matrix.
    void arrive();
    /// Collective: after each resize, before the next iteration.
    void begin_generation();

    /// Collective. False where the matrix is not positive definite: nothing can be done.
    bool iterate();
    double relative_residual() const;
    /// Collective.
    Solution solution();

    State state;

private:
    void register_matrix(std::int64_t nonzeros);
    void start();
    std::vector<double> right_side() const;
    std::vector<double> product_with(std::span<const double> all) const;
    double settled(double sum, double before, std::span<const double> a, std::span<const double> b) const;
    std::span<const double> gathered_direction();
    double multiplied(std::span<const double> direction);
    double advanced(double length);
    void turn(double share);

    nereus::Job &job_;
    const nereus_matrix *matrix_ = nullptr; ///< from the beginning of a stay
    std::optional<nereus::Array<double>> x_, r_, p_;
    std::vector<double> product_; ///< A p of this iteration
    std::optional<applications::Gather> gather_;
};

}
