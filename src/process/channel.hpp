// SPDX-License-Identifier: BSD-3-Clause
// How the job and one party of newcomers talk before they share a communicator: rank 0 of the job, or the process that
// spawned the party, on one side, the party's first process (its leader) on the other.
#pragma once

#include "base/clock.hpp"
#include "base/error.hpp"

#include <mpi.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>

namespace nereus::process {

class Line {
public:
    Line() = default;
    Line(const Line &) = delete;
    Line &operator=(const Line &) = delete;
    virtual ~Line() = default;

    /// Does not wait for the other side.
    virtual Done send(const nlohmann::json &message) = 0;

    /// The next message, or nothing yet; an error when there will be none.
    virtual Result<std::optional<nlohmann::json>> poll() = 0;

    /// The next message; naps between looks, since the other side may need this core to come up.
    Result<nlohmann::json> wait(const Deadline &deadline, const char *what);
};

/// Messages between two processes of one communicator.
class MessageLine : public Line {
public:
    /// @param comm  outlives the line; a rank of the other side where it is an inter-communicator
    MessageLine(MPI_Comm comm, int peer) : comm_(comm), peer_(peer) {}
    Done send(const nlohmann::json &message) override;
    Result<std::optional<nlohmann::json>> poll() override;

private:
    MPI_Comm comm_;
    int peer_;
};

/// The same for one purpose of several: what is left of an earlier one carries another stamp and is dropped.
class StampedLine : public Line {
public:
    StampedLine(MPI_Comm comm, int peer, std::uint64_t stamp) : line_(comm, peer), stamp_(stamp) {}
    Done send(const nlohmann::json &message) override;
    Result<std::optional<nlohmann::json>> poll() override;

private:
    MessageLine line_;
    std::uint64_t stamp_;
};

}
