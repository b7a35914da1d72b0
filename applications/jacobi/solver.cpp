// SPDX-License-Identifier: BSD-3-Clause
#include "applications/jacobi/solver.hpp"

#include "applications/jacobi/system.hpp"
#include "applications/result.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace jacobi {

using nereus::Stage;

namespace {

void check(const nereus::Job &job, int code) {
    if (code < 0) throw nereus::Failure(code, job.message());
}

/// The largest of all processes' numbers, which does not depend on their order.
double greatest(MPI_Comm comm, double mine) {
    double all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

double sum_beside_diagonal(std::span<const double> row, std::span<const double> x, std::size_t diagonal) {
    double sum = 0;
    for (std::size_t column = 0; column < diagonal; ++column) sum += row[column] * x[column];
    for (std::size_t column = diagonal + 1; column < row.size(); ++column) sum += row[column] * x[column];
    return sum;
}

}

Solver::Solver(nereus::Job &job, std::int64_t rows) : job_(job), rows_(rows) {
    job.value("state", state);
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(rows), MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    const int code = nereus_array(job.get(), "A", row, rows, NEREUS_BLOCK, NEREUS_CONSTANT, &matrix_);
    MPI_Type_free(&row);
    check(job, code);
    right_side_ = job.array<double>("b", rows, NEREUS_BLOCK, NEREUS_CONSTANT);
    x_ = job.array<double>("x", rows, NEREUS_BLOCK, NEREUS_VARIABLE);
    begin_generation();
    if (job.generation() == 0) start();
}

void Solver::start() {
    auto *values = static_cast<double *>(matrix_);
    const auto length = static_cast<std::size_t>(rows_);
    for (std::int64_t i = 0; i < x_->count(); ++i, values += rows_)
        (*right_side_)[i] = make_row(first() + i, {values, length});
    state.began = applications::date();
}

void Solver::begin_generation() {
    gather_.emplace(job_.comm(), x_->count());
    const auto rows = static_cast<double>(rows_);
    nereus_operations(job_.get(),
                      rows * (2 * rows + 1)); // of a row: its product, a difference, a quotient, and the change
}

void Solver::iterate() {
    const double change = improved(gathered());
    const Stage stage(job_, "greatest_change", NEREUS_STAGE_ALLREDUCE, sizeof change);
    state.change = greatest(job_.comm(), change);
    ++state.iterations;
}

std::span<const double> Solver::gathered() {
    const Stage stage(job_, "gather", NEREUS_STAGE_ALLGATHER, rows_ * std::int64_t{sizeof(double)});
    return (*gather_)(x_->span());
}

/// Makes the new elements of this process of all old ones. @return their greatest change
double Solver::improved(std::span<const double> all) {
    const Stage stage(job_, "improve", NEREUS_STAGE_MEMORY);
    const std::span<double> x = x_->span(), right_side = right_side_->span();
    const auto *row = static_cast<const double *>(matrix_);
    auto diagonal = static_cast<std::size_t>(first());
    double change = 0;
    for (std::size_t i = 0; i < x.size(); ++i, ++diagonal, row += rows_) {
        x[i] = (right_side[i] - sum_beside_diagonal({row, all.size()}, all, diagonal)) / row[diagonal];
        change = std::max(change, std::abs(x[i] - all[diagonal]));
    }
    return change;
}

double Solver::error() const {
    double mine = 0;
    std::int64_t row = first();
    for (const double each : part()) mine = std::max(mine, std::abs(each - solution_of(row++)));
    return greatest(job_.comm(), mine);
}

double Solver::error_bound() const {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    const double greatest_element = 7, rounding = epsilon * static_cast<double>(rows_ + 4) * greatest_element;
    return (contraction * state.change + 2 * rounding) / (1 - contraction);
}

}
