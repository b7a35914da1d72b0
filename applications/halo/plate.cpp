// SPDX-License-Identifier: BSD-3-Clause
#include "applications/halo/plate.hpp"

#include "applications/result.hpp"

#include <algorithm>
#include <cmath>

namespace halo {

using nereus::Stage;

namespace {

constexpr const char *name = "cells";
constexpr int tag_up = 1, tag_down = 2;

std::size_t at(std::int64_t number) { return static_cast<std::size_t>(number); }

}

Plate::Plate(nereus::Job &job, const Shape &shape)
    : job_(job), shape_(shape), before_(at(shape.row())), behind_(at(shape.row())) {
    job.value("state", state);
    MPI_Datatype row = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(static_cast<int>(shape.row()), MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    const int code = nereus_array(job.get(), name, row, shape.rows, NEREUS_BLOCK, NEREUS_VARIABLE, &cells_);
    MPI_Type_free(&row);
    if (code < 0) throw nereus::Failure(code, job.message());
    if (job.generation() == 0) start();
}

std::int64_t Plate::rows() const { return nereus_count(job_.get(), name); }

std::int64_t Plate::first_number() const { return nereus_first(job_.get(), name) * shape_.row(); }

std::span<const double> Plate::cells() const {
    return {static_cast<const double *>(cells_), at(rows() * shape_.row())};
}

void Plate::start() {
    auto *cells = static_cast<double *>(cells_);
    for (std::int64_t i = 0; i < rows() * shape_.row(); ++i)
        cells[i] = first_number() + i < shape_.row() ? 1.0 + static_cast<double>(i % shape_.fields) : 0.0;
    state.began = applications::date();
}

void Plate::iterate() {
    exchange();
    double mine = step();
    const Stage stage(job_, "greatest_change", NEREUS_STAGE_ALLREDUCE, sizeof mine);
    MPI_Allreduce(&mine, &state.change, 1, MPI_DOUBLE, MPI_MAX, job_.comm());
    ++state.iterations;
}

/// Where there is no neighbour it is cold, also where there was one before a resize. Processes without rows are the
/// last ones: nobody asks them.
void Plate::exchange() {
    const Stage stage(job_, "exchange", NEREUS_STAGE_P2P, shape_.row() * std::int64_t{sizeof(double)});
    if (rows() == 0) return;
    const int with_rows = static_cast<int>(std::min<std::int64_t>(job_.size(), shape_.rows));
    const bool closes = shape_.is_ring; // of one process: with itself
    const int rank = job_.rank(), count = static_cast<int>(shape_.row());
    const int before = rank > 0 ? rank - 1 : closes ? with_rows - 1 : MPI_PROC_NULL;
    const int behind = rank + 1 < with_rows ? rank + 1 : closes ? 0 : MPI_PROC_NULL;
    if (before == MPI_PROC_NULL) std::ranges::fill(before_, 0.0);
    if (behind == MPI_PROC_NULL) std::ranges::fill(behind_, 0.0);
    MPI_Request requests[4];
    MPI_Irecv(before_.data(), count, MPI_DOUBLE, before, tag_down, job_.comm(), &requests[0]);
    MPI_Irecv(behind_.data(), count, MPI_DOUBLE, behind, tag_up, job_.comm(), &requests[1]);
    MPI_Isend(row(0), count, MPI_DOUBLE, before, tag_up, job_.comm(), &requests[2]);
    MPI_Isend(row(rows() - 1), count, MPI_DOUBLE, behind, tag_down, job_.comm(), &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

const double *Plate::row(std::int64_t number) const {
    return static_cast<const double *>(cells_) + number * shape_.row();
}

/// @return the greatest change of this process' cells
double Plate::step() {
    const Stage stage(job_, "step", NEREUS_STAGE_MEMORY);
    old_.assign(cells().begin(), cells().end());
    const std::int64_t length = shape_.row(), fields = shape_.fields;
    double change = 0;
    for (std::int64_t i = 0; i < rows(); ++i) {
        const double *old = old_.data() + i * length;
        const double *up = i > 0 ? old - length : before_.data();
        const double *down = i + 1 < rows() ? old + length : behind_.data();
        double *now = static_cast<double *>(cells_) + i * length;
        for (std::int64_t k = 0; k < length; ++k) {
            const double left = k >= fields ? old[k - fields] : 0, right = k + fields < length ? old[k + fields] : 0;
            now[k] = ((up[k] + down[k]) + (left + right)) * 0.25;
            change = std::max(change, std::abs(now[k] - old[k]));
        }
    }
    return change;
}

}
