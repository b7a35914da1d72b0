// SPDX-License-Identifier: BSD-3-Clause
// A name under which processes that do not know each other yet can connect (MPI 4.1, section 11.9).
#pragma once

#include "mpi/comm.hpp"

#include <string>

namespace nereus::mpi {

/// An open port; closed with its owner, who must outlive all accepts. MPICH gives the name of a closed port out again.
class Port {
public:
    Port() = default;
    Port(Port &&other) noexcept : name_(std::move(other.name_)) { other.name_.clear(); }
    Port &operator=(Port &&other) noexcept {
        name_.swap(other.name_);
        return *this;
    }
    ~Port();

    /// NEREUS_ERR_UNSUPPORTED where this MPI, with its present transports, has no ports.
    ///
    /// @param place  MPICH 5 tells connections that one process makes at the same time apart by nothing but the place
    /// of
    ///               their ports among the open ones of the processes that accept: it crashes where two are equal
    static Result<Port> open(int place = 0);

    const std::string &name() const { return name_; }

private:
    static Result<Port> open_next();

    std::string name_;
};

/// Collective over `members`: waits for one connect. Only rank 0's port counts.
Result<Comm> accept(const std::string &port, MPI_Comm members);

/// Collective over `members`: connects to who accepts at `port`. Only rank 0's port counts.
Result<Comm> connect(const std::string &port, MPI_Comm members);

/// Collective over both sides of `inter`, which is disconnected: one communicator, the side that is not `high` first.
Result<Comm> merge(Comm inter, bool high);

}
