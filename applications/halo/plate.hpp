// SPDX-License-Identifier: BSD-3-Clause
// A plate of rows, of which each process has some and in each iteration gets those beside its own from its neighbours:
// the explicit step of the heat equation, each cell becoming the mean of its four neighbours.
#pragma once

#include <nereus/nereus.hpp>

#include <cstdint>
#include <vector>

namespace halo {

/// What all processes know, and newcomers are told.
struct State {
    std::int64_t iterations = 0;  ///< done
    std::int64_t rolled_back = 0; ///< resizes; counted by rank 0
    double began = 0;             ///< date of the first iteration
    double change = 0;            ///< the greatest of a cell in the latest iteration
};

struct Shape {
    std::int64_t rows;
    std::int64_t columns;
    int fields;
    bool is_ring;

    std::int64_t row() const { return columns * fields; } ///< numbers of one
};

/// To be kept until the job is closed, which writes to its members.
class Plate {
public:
    /// Collective. Founders begin with a plate that is cold but for its first row.
    Plate(nereus::Job &job, const Shape &shape);
    Plate(const Plate &) = delete;

    /// Collective.
    void iterate();
    std::span<const double> cells() const;
    std::int64_t first_number() const; ///< of cells(), in the whole plate

    State state;

private:
    void start();
    void exchange();
    double step();
    std::int64_t rows() const;
    const double *row(std::int64_t number) const;

    nereus::Job &job_;
    Shape shape_;
    void *cells_ = nullptr;
    std::vector<double> before_, behind_; ///< the neighbours' rows
    std::vector<double> old_;             ///< of this process
};

}
