// SPDX-License-Identifier: BSD-3-Clause
// Dot products that have the same bits however the vectors are cut, with one MPI_Allreduce of one double.
//
// Each product is rounded to a multiple of a power of two, the unit, that is so large that sums of multiples are exact
// in double precision in whatever order they are made: the idea of Demmel and Nguyen 2015, "Parallel reproducible
// summation", section 4, with one bin, whose place is known beforehand. The unit follows from the magnitude of the sum,
// for which the sum of an iteration before stands: sums may grow by 2^10 from one to the next. Where one grows more, or
// its terms cancel out more, it is rounded as every sum is, so that it is still right, but depends on the cut.
//
// What is lost: a unit is 2^-43 of the magnitude. The step lengths of Conjugate Gradient get relative errors of that
// size times the square root of the number of rows; its residuals do not, since the same length takes x and r along.
#pragma once

#include <mpi.h>

#include <span>

namespace cg {

/// This process' part of a dot product whose sum over all processes is about `magnitude`; 0: about nothing is known.
double local_dot(std::span<const double> a, std::span<const double> b, double magnitude);

/// Collective.
double sum_over(MPI_Comm comm, double local);

/// Collective. A magnitude for local_dot(), by three reductions, the same however the vectors are cut.
double magnitude_of(MPI_Comm comm, std::span<const double> a, std::span<const double> b);

/// Collective. A whole dot product about which nothing is known, by four reductions.
double steady_dot(MPI_Comm comm, std::span<const double> a, std::span<const double> b);

}
