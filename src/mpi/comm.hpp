// SPDX-License-Identifier: BSD-3-Clause
// A communicator of Nereus' own: returns errors, and is freed with its owner.
#pragma once

#include "mpi/check.hpp"

#include <utility>

namespace nereus::mpi {

class Comm {
public:
    Comm() = default;
    /// Takes over `comm`, which somebody else made for us.
    explicit Comm(MPI_Comm comm) : comm_(comm) {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }
    Comm(Comm &&other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
    Comm &operator=(Comm &&other) noexcept {
        if (this != &other) {
            reset();
            comm_ = std::exchange(other.comm_, MPI_COMM_NULL);
        }
        return *this;
    }
    ~Comm() { reset(); }

    /// Collective over `comm`.
    static Result<Comm> duplicate(MPI_Comm comm) {
        MPI_Comm copy = MPI_COMM_NULL;
        if (auto done = check(MPI_Comm_dup(comm, &copy), "MPI_Comm_dup"); !done) return tl::unexpected(done.error());
        return Comm(copy);
    }

    /// Collective over `comm`; empty for ranks with the colour MPI_UNDEFINED.
    static Result<Comm> split(MPI_Comm comm, int colour, int key) {
        MPI_Comm part = MPI_COMM_NULL;
        if (auto done = check(MPI_Comm_split(comm, colour, key, &part), "MPI_Comm_split"); !done)
            return tl::unexpected(done.error());
        return Comm(part);
    }

    MPI_Comm get() const { return comm_; }
    explicit operator bool() const { return comm_ != MPI_COMM_NULL; }

    int rank() const {
        int rank = 0;
        MPI_Comm_rank(comm_, &rank);
        return rank;
    }
    int size() const {
        int size = 0;
        MPI_Comm_size(comm_, &size);
        return size;
    }

    /// Collective: frees the communicator.
    void reset() {
        if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    }

    /// Collective: waits for the other side. For inter-communicators; Open MPI hangs in it on a merged communicator.
    /// Bounded.
    void disconnect();

    /// Gives the communicator up without a word to its other members, who may be dead. MPI keeps it until
    /// MPI_Finalize(): what they still say must not be taken for a message on a communicator that was made since.
    void abandon();

private:
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}
