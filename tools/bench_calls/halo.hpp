// SPDX-License-Identifier: BSD-3-Clause
// A small application: a field of numbers for each rank, below one another, whose rows at the edges go to neighbours.
#pragma once

#include "batches.hpp"

namespace calls {

class Halo {
public:
    /// @param bytes  of a row; at least one number is in it
    explicit Halo(int bytes);

    /// One step of Jacobi's method for the heat equation: exchange of rows, then the mean of four neighbours.
    void step(Through through);

    /// Which part of `steps` steps past the wrappers is the exchange: 0 to 1.
    double communication_share(int steps);

    /// Numbers that a step computes.
    static long long work(int bytes);

private:
    double *row(int number) {
        return old_.data() + static_cast<std::size_t>(number) * static_cast<std::size_t>(width_);
    }
    template <class Send, class Receive, class Wait> void exchange(Send send, Receive receive, Wait wait);
    void exchange(Through through);
    void relax();

    int width_, height_, above_ = MPI_PROC_NULL, below_ = MPI_PROC_NULL;
    std::vector<double> old_, next_; ///< height + 2 rows
};

}
