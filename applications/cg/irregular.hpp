// SPDX-License-Identifier: BSD-3-Clause
// A matrix like those of finite elements, of which some parts are much denser than others, so that blocks of as many
// rows are unbalanced.
#pragma once

#include "applications/cg/matrix_source.hpp"

namespace cg {

/// Three rows for each node, as for displacements in space. Nodes are numbered as the points of a cube; node a is
/// coupled with node a + d where d is among the first width(a) and the first width(a + d) of a list of distances, the
/// shortest first. Widths fall from the first node to the last in waves: rows have some 20 to 300 nonzeros, 90 in the
/// mean. Values are random, with fixed seed and both signs; the diagonal is larger than the sum of the others' absolute
/// values, so that the matrix is positive definite (Gershgorin).
class Irregular : public MadeMatrix {
public:
    explicit Irregular(std::int64_t rows);
    std::int64_t rows() const override { return rows_; }

protected:
    void make(std::int64_t row, Row &out) const override;

private:
    struct Distance {
        std::int64_t nodes; ///< difference of two nodes' numbers, above 0
        int place;          ///< in the list from the shortest to the longest
    };

    int width(std::int64_t node) const;
    bool are_coupled(std::int64_t lower, std::int64_t upper, int place) const;
    void add_node(std::int64_t row, std::int64_t node, Row &out) const;
    void set_diagonal(std::int64_t row, Row &out) const;

    std::int64_t rows_, nodes_;
    std::vector<Distance> distances_; ///< rising in `nodes`
};

}
