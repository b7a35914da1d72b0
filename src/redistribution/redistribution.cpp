// SPDX-License-Identifier: BSD-3-Clause
#include "redistribution/redistribution.hpp"

#include "mpi/check.hpp"
#include "transfer/transfer.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace nereus::redistribution {
namespace {

// Codes of errors are negative, and there are fewer.
constexpr std::int64_t codes = 64;

plan::Sizes sizes_of(const Redistribution &redistribution) {
    plan::Sizes sizes{static_cast<int>(redistribution.from.ranks().size()),
                      static_cast<int>(redistribution.to.ranks().size()), false};
    for (const int drain : redistribution.to.ranks())
        sizes.kept.push_back(redistribution.from.number_of(drain).value_or(-1));
    return sizes;
}

}

std::int64_t Redistribution::checksum() const {
    std::vector<std::int64_t> words{extent};
    from.append_to(words);
    to.append_to(words);
    const auto bytes = static_cast<std::int64_t>(words.size() * sizeof words.front());
    return static_cast<std::int64_t>(transfer::checksum(reinterpret_cast<const std::byte *>(words.data()), bytes));
}

Done agree(MPI_Comm comm, const Result<std::int64_t> &checksum) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    // The least of all tells the first process with an error and its code, and whether checksums differ.
    std::array<std::int64_t, 3> mine{INT64_MAX, INT64_MAX, INT64_MAX}, all{};
    if (checksum)
        mine = {INT64_MAX, *checksum, ~*checksum};
    else
        mine[0] = rank * codes - checksum.error().code;
    if (auto done = mpi::check(MPI_Allreduce(mine.data(), all.data(), 3, MPI_INT64_T, MPI_MIN, comm), "MPI_Allreduce");
        !done)
        return done;
    const auto [error, least, most_negated] = all;
    if (error != INT64_MAX)
        return failed(static_cast<nereus_code>(-(error % codes)), error == mine[0] ? checksum.error().what : "");
    if (least == ~most_negated) return {};
    return failed(NEREUS_ERR_MISMATCH, rank == 0 ? "processes were given different arguments" : "");
}

plan::Move Redistribution::move_of(int rank) const {
    plan::Move move = plan::move_of(from.distribution(), to.distribution(), sizes_of(*this),
                                    {from.number_of(rank), to.number_of(rank)});
    move.unchanged = false; // what stays is to be in other memory
    return move;
}

Done carry_out(MPI_Comm comm, const Redistribution &redistribution, plan::Move move, const std::byte *old_part,
               std::byte *new_part) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const bool is_source = redistribution.from.number_of(rank).has_value();
    const bool is_drain = redistribution.to.number_of(rank).has_value();
    return transfer::move(NEREUS_P2P, {comm, redistribution.to.ranks(), redistribution.from.ranks()},
                          {{"array", std::move(move), redistribution.extent, is_source ? old_part : nullptr,
                            is_drain ? new_part : nullptr}},
                          transfer::Limits{}.message_bytes, Deadline::never());
}

}
