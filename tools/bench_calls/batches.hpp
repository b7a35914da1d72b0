// SPDX-License-Identifier: BSD-3-Clause
// Batches of one call of MPI, made through the names that a sensor wraps or past them.
#pragma once

#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace calls {

enum class Through { wrappers, nothing };
class Halo;

class Batches {
public:
    /// Buffers and a window for messages of up to `most_bytes`. Collective over MPI_COMM_WORLD.
    explicit Batches(int most_bytes);
    ~Batches();
    Batches(const Batches &) = delete;
    Batches &operator=(const Batches &) = delete;

    /// Seconds of each of `number` calls, on rank 0. Collective: send and put go from each even rank to the next one;
    /// halo is a step of a small application (halo.hpp) with rows of that many bytes.
    double seconds(const std::string &call, int bytes, int number, Through through);

    /// Which part of a step of the halo the exchange takes, 0 to 1: mean of all ranks. Collective.
    double communication_share(int bytes, int steps);

    static const std::vector<std::string> &names();

private:
    void send(int bytes, int number, Through through);
    void alltoall(int bytes, int number, Through through);
    void put(int bytes, int number, Through through);
    void halo(int number, Through through);
    Halo &halo_of(int bytes);

    int rank_ = 0, ranks_ = 1;
    std::vector<char> from_, into_;
    MPI_Win window_ = MPI_WIN_NULL;
    std::unique_ptr<Halo> halo_; ///< of `halo_bytes_`
    int halo_bytes_ = -1;
};

}
