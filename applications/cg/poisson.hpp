// SPDX-License-Identifier: BSD-3-Clause
// Poisson's equation on a cube: rows of nearly the same length, so that blocks of rows are balanced.
#pragma once

#include "applications/cg/matrix_source.hpp"

namespace cg {

/// side^3 points, numbered x first, with zero around them. With 7 points a row has 6 on the diagonal and -1 for each of
/// the 6 nearest neighbours; with 27 it has 26, and -1 for each of 26 neighbours, as HPCG's (Dongarra, Heroux and
/// Luszczek 2016, "A new metric for ranking high-performance computing systems").
class Poisson : public MadeMatrix {
public:
    Poisson(std::int64_t side, int points) : side_(side), points_(points) {}
    std::int64_t rows() const override { return side_ * side_ * side_; }

protected:
    void make(std::int64_t row, Row &out) const override;

private:
    bool is_point(std::int64_t coordinate) const { return 0 <= coordinate && coordinate < side_; }

    std::int64_t side_;
    int points_;
};

}
