// SPDX-License-Identifier: BSD-3-Clause
#include "applications/cg/steady_sum.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace cg {
namespace {

constexpr int headroom_bits = 10;

/// Adding this and taking it away rounds what is smaller to a multiple of its last bit, which is the unit.
double shift_of(double magnitude) {
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    return std::ldexp(1.5, exponent + headroom_bits - 1);
}

double greatest_product(MPI_Comm comm, std::span<const double> a, std::span<const double> b) {
    double mine = 0, all = 0;
    for (std::size_t i = 0; i < a.size(); ++i) mine = std::max(mine, std::abs(a[i] * b[i]));
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, comm);
    return all;
}

}

double local_dot(std::span<const double> a, std::span<const double> b, double magnitude) {
    const double shift = magnitude > 0 ? shift_of(magnitude) : 0;
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] * b[i] + shift) - shift;
    return sum;
}

double sum_over(MPI_Comm comm, double local) {
    double sum = 0;
    MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    return sum;
}

double magnitude_of(MPI_Comm comm, std::span<const double> a, std::span<const double> b) {
    const auto mine = static_cast<std::int64_t>(a.size());
    std::int64_t elements = 0;
    MPI_Allreduce(&mine, &elements, 1, MPI_INT64_T, MPI_SUM, comm);
    const double bound = greatest_product(comm, a, b) * static_cast<double>(elements);
    const double sum = std::abs(sum_over(comm, local_dot(a, b, bound)));
    return sum > 0 ? sum : bound;
}

double steady_dot(MPI_Comm comm, std::span<const double> a, std::span<const double> b) {
    return sum_over(comm, local_dot(a, b, magnitude_of(comm, a, b)));
}

}
