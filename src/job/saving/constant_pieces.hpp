// SPDX-License-Identifier: BSD-3-Clause
// Constant arrays in epochs in memory of hosts: what a host has of them in its latest epoch becomes a part of the next
// one, without a copy.
#pragma once

#include "job/resize/job_state.hpp"
#include "job/saving/piece_exchange.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nereus::job {

class ConstantPieces {
public:
    /// Whether a registered array is kept so: by its number, in the order of registration.
    static bool keeps(const JobState &job, std::size_t number);

    /// Whether these are of the arrays that are registered now, in the job as it is.
    bool are_of(const JobState &job) const;

    /// The latest epoch was made, with these pieces: `own` of this process, `copied` of others on this host.
    void keep(const JobState &job, std::uint64_t epoch, const Pieces &own, const Pieces &copied);
    /// Nobody knows which epoch is there.
    void forget() { *this = {}; }

    std::uint64_t epoch() const { return epoch_; }
    const Pieces &own() const { return own_; }
    const Pieces &copied() const { return copied_; }

private:
    /// An array as it was: one that comes in its place later may lie where it lay.
    struct Known {
        std::string name;
        std::uint64_t registration;
        const std::byte *bytes;
        std::vector<std::int64_t> borders;
        plan::Shape shape;
        bool operator==(const Known &) const = default;
    };
    static std::vector<Known> known_of(const JobState &job);

    std::int64_t generation_ = -1;
    std::uint64_t epoch_ = 0;
    std::vector<Known> arrays_;
    Pieces own_, copied_;
};

}
