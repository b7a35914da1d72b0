// SPDX-License-Identifier: BSD-3-Clause
// Where the rows of a matrix come from, of which each process makes its own.
#pragma once

#include <nereus/nereus.hpp>

#include <tl/expected.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace cg {

/// A square matrix whose rows can be had in any order. Errors are what is to be said to the user.
class MatrixSource {
public:
    virtual ~MatrixSource() = default;
    virtual std::int64_t rows() const = 0;
    virtual tl::expected<std::int64_t, std::string> nonzeros(std::int64_t first_row, std::int64_t count) const = 0;
    /// Fills starts, columns and values of the rows that `matrix` has. @return complaint or ""
    virtual std::string fill(const nereus_matrix &matrix) const = 0;
};

struct Row {
    std::vector<std::int64_t> columns; ///< rising
    std::vector<double> values;

    void clear();
    void add(std::int64_t column, double value);
};

/// A matrix that is made row by row, each by itself, so that it does not depend on who makes which.
class MadeMatrix : public MatrixSource {
public:
    tl::expected<std::int64_t, std::string> nonzeros(std::int64_t first_row, std::int64_t count) const override;
    std::string fill(const nereus_matrix &matrix) const override;

protected:
    /// Adds the nonzeros of row number `row`.
    virtual void make(std::int64_t row, Row &out) const = 0;
};

}
