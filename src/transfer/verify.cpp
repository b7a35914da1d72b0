// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/check.hpp"
#include "mpi/waiting.hpp"
#include "transfer/transfer.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace nereus::transfer {
namespace {

using Checksum = XXH64_hash_t;

constexpr int tag_checksum = 4712;
constexpr const char *what = "comparing checksums";

/// Of the elements of `strips` in their order.
Checksum checksum_of(const std::byte *part, std::int64_t extent, const std::vector<plan::Strip> &strips,
                     std::int64_t plan::Run::*place, std::int64_t plan::Strip::*step) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    for (const plan::Strip &strip : strips)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const plan::Run &run : strip.runs)
                XXH3_64bits_update(&state, part + (run.*place + i * strip.*step) * extent,
                                   static_cast<std::size_t>(run.count * extent));
    return XXH3_64bits_digest(&state);
}

Checksum of_source(const ArrayTransfer &array_transfer, const std::vector<plan::Strip> &strips) {
    return checksum_of(array_transfer.from, array_transfer.extent, strips, &plan::Run::from, &plan::Strip::from_step);
}

Checksum of_drain(const ArrayTransfer &array_transfer, const std::vector<plan::Strip> &strips) {
    return checksum_of(array_transfer.to, array_transfer.extent, strips, &plan::Run::to, &plan::Strip::to_step);
}

Done differs(const ArrayTransfer &array_transfer, const std::string &where) {
    return failed(NEREUS_ERR_TRANSFER, "\"" + array_transfer.name + "\" arrived changed" + where);
}

Done compare_what_stays(const ArrayTransfer &array_transfer) {
    if (array_transfer.move.unchanged || array_transfer.move.stays.empty()) return {};
    const bool same =
        of_source(array_transfer, array_transfer.move.stays) == of_drain(array_transfer, array_transfer.move.stays);
    return same ? Done{} : differs(array_transfer, " where it stayed");
}

/// One checksum for each piece that this process sends or receives. Must not be destroyed while MPI may use it: after
/// an error.
class Exchange {
public:
    explicit Exchange(const Lane &lane) : lane_(lane) {}

    Done start(const std::vector<ArrayTransfer> &array_transfers, const Deadline &deadline) {
        reserve(array_transfers);
        for (const ArrayTransfer &array_transfer : array_transfers)
            for (const plan::Piece &piece : array_transfer.move.receives)
                if (auto done = receive(piece); !done) return done;
        for (const ArrayTransfer &array_transfer : array_transfers) {
            if (auto why = deadline.over(what)) return tl::unexpected(*why);
            for (const plan::Piece &piece : array_transfer.move.sends)
                if (auto done = send(array_transfer, piece); !done) return done;
        }
        return {};
    }

    Done wait(const Deadline &deadline) { return mpi::complete_all(requests_, deadline, what); }

    Done compare(const std::vector<ArrayTransfer> &array_transfers) const {
        auto theirs = theirs_.begin();
        for (const ArrayTransfer &array_transfer : array_transfers)
            for (const plan::Piece &piece : array_transfer.move.receives)
                if (*theirs++ != of_drain(array_transfer, piece.strips))
                    return differs(array_transfer, " from source " + std::to_string(piece.peer));
        return {};
    }

private:
    /// MPI holds addresses of the checksums.
    void reserve(const std::vector<ArrayTransfer> &array_transfers) {
        std::size_t sends = 0, receives = 0;
        for (const ArrayTransfer &array_transfer : array_transfers) {
            sends += array_transfer.move.sends.size();
            receives += array_transfer.move.receives.size();
        }
        ours_.reserve(sends);
        theirs_.reserve(receives);
        requests_.reserve(sends + receives);
    }

    Done receive(const plan::Piece &piece) {
        return mpi::check(MPI_Irecv(&theirs_.emplace_back(), sizeof(Checksum), MPI_BYTE,
                                    lane_.rank_of_source(piece.peer), tag_checksum, lane_.comm,
                                    &requests_.emplace_back(MPI_REQUEST_NULL)),
                          "MPI_Irecv");
    }

    Done send(const ArrayTransfer &array_transfer, const plan::Piece &piece) {
        ours_.push_back(of_source(array_transfer, piece.strips));
        return mpi::check(MPI_Isend(&ours_.back(), sizeof(Checksum), MPI_BYTE, lane_.rank_of_drain(piece.peer),
                                    tag_checksum, lane_.comm, &requests_.emplace_back(MPI_REQUEST_NULL)),
                          "MPI_Isend");
    }

    Lane lane_;
    std::vector<Checksum> ours_, theirs_;
    std::vector<MPI_Request> requests_;
};

}

std::uint64_t checksum(const std::byte *bytes, std::int64_t count) {
    return XXH3_64bits(bytes, static_cast<std::size_t>(count));
}

Done verify(const Lane &lane, const std::vector<ArrayTransfer> &array_transfers, const Deadline &deadline) {
    auto exchange = std::make_unique<Exchange>(lane);
    auto done = exchange->start(array_transfers, deadline);
    if (done) done = exchange->wait(deadline);
    if (!done) {
        [[maybe_unused]] const Exchange *left_to_mpi = exchange.release();
        return done;
    }
    done = exchange->compare(array_transfers);
    for (const ArrayTransfer &array_transfer : array_transfers)
        if (done) done = compare_what_stays(array_transfer);
    return done;
}

}
