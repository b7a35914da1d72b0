// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/solver.hpp"

#include "applications/agreement.hpp"
#include "applications/cg/command_line.hpp"
#include "applications/cg/steady_sum.hpp"
#include "applications/result.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace cg {

using nereus::Stage;

Solver::Solver(nereus::Job &job, std::int64_t rows) : job_(job) {
    state.rows = rows;
    job.value("state", state);
    x_ = job.array<double>("x", state.rows, NEREUS_BLOCK, NEREUS_VARIABLE);
    r_ = job.array<double>("r", state.rows, NEREUS_BLOCK, NEREUS_VARIABLE);
    p_ = job.array<double>("p", state.rows, NEREUS_BLOCK, NEREUS_VARIABLE);
}

void Solver::register_matrix(std::int64_t nonzeros) {
    matrix_ = &job_.matrix<double>("A", state.rows, nonzeros, NEREUS_CONSTANT);
}

bool Solver::begin(const MatrixSource &source) {
    const auto nonzeros = source.nonzeros(x_->first(), x_->count());
    if (applications::anyone_complains(program, job_, nonzeros ? "" : nonzeros.error())) return false;
    register_matrix(*nonzeros);
    if (applications::anyone_complains(program, job_, source.fill(*matrix_))) return false;
    begin_generation();
    start();
    return true;
}

void Solver::arrive() {
    register_matrix(0);
    begin_generation();
}

void Solver::begin_generation() {
    gather_.emplace(job_.comm(), x_->count());
    auto nonzeros = static_cast<double>(matrix_->nonzeros);
    MPI_Allreduce(MPI_IN_PLACE, &nonzeros, 1, MPI_DOUBLE, MPI_SUM, job_.comm());
    // A product and a sum for each nonzero; two dot products and three sums of vectors.
    nereus_operations(job_.get(), 2 * nonzeros + 10 * static_cast<double>(state.rows));
}

/// x = 0, so that b is the first residual and the first direction.
void Solver::start() {
    std::ranges::copy(right_side(), r_->begin());
    std::ranges::copy(r_->span(), p_->begin());
    state.right_side = steady_dot(job_.comm(), r_->span(), r_->span());
    state.residual = state.right_side;
    state.curvature = magnitude_of(job_.comm(), p_->span(), product_with((*gather_)(p_->span())));
    state.began = applications::date();
}

/// b = A (1, 1, ...): the sums of rows.
std::vector<double> Solver::right_side() const {
    return product_with(std::vector<double>(static_cast<std::size_t>(state.rows), 1.0));
}

std::vector<double> Solver::product_with(std::span<const double> all) const {
    const nereus_matrix &matrix = *matrix_;
    std::vector<double> product(static_cast<std::size_t>(matrix.rows));
    const auto *values = static_cast<const double *>(matrix.values);
    for (std::size_t i = 0; i < product.size(); ++i) {
        double sum = 0;
        for (std::int64_t k = matrix.starts[i] - matrix.first_nonzero; k < matrix.starts[i + 1] - matrix.first_nonzero;
             ++k)
            sum += values[k] * all[static_cast<std::size_t>(matrix.columns[k])];
        product[i] = sum;
    }
    return product;
}

bool Solver::iterate() {
    const std::span<const double> direction = gathered_direction();
    double local = multiplied(direction);
    {
        const Stage stage(job_, "sum_curvature", NEREUS_STAGE_ALLREDUCE, sizeof local);
        state.curvature = settled(sum_over(job_.comm(), local), state.curvature, p_->span(), product_);
    }
    if (!(state.curvature > 0)) return false; // or not a number
    local = advanced(state.residual / state.curvature);
    const double before = state.residual;
    {
        const Stage stage(job_, "sum_residual", NEREUS_STAGE_ALLREDUCE, sizeof local);
        state.residual = settled(sum_over(job_.comm(), local), before, r_->span(), r_->span());
    }
    turn(state.residual / before);
    ++state.iterations;
    return true;
}

std::span<const double> Solver::gathered_direction() {
    const Stage stage(job_, "gather_direction", NEREUS_STAGE_ALLGATHER, state.rows * std::int64_t{sizeof(double)});
    return (*gather_)(p_->span());
}

/// The product of matrix and direction. @return this process' part of its dot product with the direction
double Solver::multiplied(std::span<const double> direction) {
    const Stage stage(job_, "multiply", NEREUS_STAGE_COMPUTE);
    product_ = product_with(direction);
    return local_dot(p_->span(), product_, state.curvature);
}

/// A sum that fell so far from one iteration to the next that its unit is too large for it is made anew.
double Solver::settled(double sum, double before, std::span<const double> a, std::span<const double> b) const {
    constexpr double far = 0x1p-20;
    return sum < far * before ? steady_dot(job_.comm(), a, b) : sum;
}

/// x goes along the direction, and r with it. @return this process' part of r.r
double Solver::advanced(double length) {
    const Stage stage(job_, "advance", NEREUS_STAGE_COMPUTE);
    const std::span<double> x = x_->span(), r = r_->span(), p = p_->span();
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += length * p[i];
    for (std::size_t i = 0; i < r.size(); ++i) r[i] -= length * product_[i];
    return local_dot(r, r, state.residual);
}

/// The next direction: r and a share of the one before.
void Solver::turn(double share) {
    const Stage stage(job_, "turn", NEREUS_STAGE_COMPUTE);
    const std::span<double> r = r_->span(), p = p_->span();
    for (std::size_t i = 0; i < p.size(); ++i) p[i] = r[i] + share * p[i];
}

double Solver::relative_residual() const {
    return state.right_side > 0 ? std::sqrt(state.residual / state.right_side) : 0;
}

Solution Solver::solution() {
    const std::span<const double> x = x_->span();
    std::vector<double> difference = right_side();
    const std::vector<double> product = product_with((*gather_)(x));
    for (std::size_t i = 0; i < difference.size(); ++i) difference[i] -= product[i];
    const MPI_Comm comm = job_.comm();
    const double residual = steady_dot(comm, difference, difference);
    double mine = 0, error = 0;
    for (const double each : x) mine = std::max(mine, std::abs(each - 1));
    MPI_Allreduce(&mine, &error, 1, MPI_DOUBLE, MPI_MAX, comm);
    return {state.right_side > 0 ? std::sqrt(residual / state.right_side) : 0, error,
            applications::checksum(comm, x, x_->first())};
}

}
