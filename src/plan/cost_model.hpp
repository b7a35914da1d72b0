// SPDX-License-Identifier: BSD-3-Clause
// How the data of a resize is best carried, by what ways have cost on this machine (docs/reference/calibrate.md).
//
// What counts is the time that the application loses. Blocking, it waits for all data. In the background it goes on,
// but each iteration takes omega times as long (Martín-Álvarez et al. 2025, section 5): of the transfer's time the
// share 1 - 1 / omega is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nereus::plan {

/// Numbers of enum nereus_transfer_method and nereus_transfer_strategy; neither is `auto`.
struct Way {
    int method = 0;
    int strategy = 0;
    bool operator==(const Way &) const = default;

    bool in_background() const { return strategy != 0; }
};

/// Data of one kind, constant or variable, that a resize has to carry.
struct Load {
    std::int64_t bytes = 0; ///< the most that one process sends, or receives
    int arrays = 0;         ///< the most of which one process sends or receives a part
    bool operator==(const Load &) const = default;
};

/// What a way has cost. All numbers are finite, and none is below 0.
struct Cost {
    Way way;
    double fixed_seconds = 0;     ///< of a transfer
    double seconds_per_array = 0; ///< windows and calls for each array
    double seconds_per_byte = 0;  ///< of the process that sends or receives most
    double pause_seconds = 0;     ///< for which the application waits besides: votes, memory, the switch
    double omega = 1;             ///< an iteration's time during the transfer over its time without; at least 1
    bool operator==(const Cost &) const = default;

    double seconds(const Load &load) const;
};

struct Costs {
    std::string library; ///< first line of MPI_Get_library_version() where they were measured
    std::vector<Cost> ways;
    bool operator==(const Costs &) const = default;
};

/// What a resize has to carry, and the ways that can do it, the simplest one first.
struct Demand {
    Load constant;
    Load variable;
    std::vector<Way> candidates;
};

struct Choice {
    Way way;
    double predicted_seconds; ///< to move constant and variable data
    double lost_seconds;      ///< of the application, by pause and by slower iterations
    std::string why;
};

/// The candidate with the least loss, of equal ones the first; nothing where no candidate's costs are known.
/// Variable data travels while the application waits, whatever the strategy.
std::optional<Choice> choose(const Costs &costs, const Demand &demand);

}
