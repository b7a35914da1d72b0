// SPDX-License-Identifier: BSD-3-Clause
// What the benches of src/transfer share: an array of known bytes on its way between sources and drains of one
// MPI_COMM_WORLD. Nothing is spawned.
#pragma once

#include "mpi/comm.hpp"
#include "transfer/transfer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unistd.h>
#include <vector>

namespace nereus::transfer {

constexpr std::int64_t extent = 8;
constexpr double most_seconds = 300; // for one transfer

/// One resize as this rank of the lane sees it.
struct Job {
    plan::Sizes sizes;
    std::int64_t elements;
    mpi::Comm comm;
    std::vector<std::byte> from, to;
    plan::Range before, after;

    int first_drain() const { return sizes.anew ? sizes.sources : 0; }
    Lane lane() const {
        Lane lane{comm.get(), {}};
        for (int drain = 0; drain < sizes.drains; ++drain) lane.drain_ranks.push_back(first_drain() + drain);
        return lane;
    }

    plan::Place place() const {
        const int rank = comm.rank(), drain = rank - first_drain();
        plan::Place found;
        if (rank < sizes.sources) found.source = rank;
        if (drain >= 0 && drain < sizes.drains) found.drain = drain;
        return found;
    }

    ArrayTransfer array_transfer() {
        const plan::Move move = plan::move_of(plan::Layout::block, elements, sizes, place());
        return {"x", move, extent, from.data(), to.data()};
    }
};

inline std::byte content(std::int64_t byte) { return static_cast<std::byte>(byte * 2654435761 >> 13); }

inline void prepare(Job &job) {
    const plan::Place place = job.place();
    if (place.source)
        job.before = plan::Distribution{plan::Layout::block, job.elements, job.sizes.sources}.range_of(*place.source);
    if (place.drain)
        job.after = plan::Distribution{plan::Layout::block, job.elements, job.sizes.drains}.range_of(*place.drain);
    job.from.resize(static_cast<std::size_t>(job.before.count() * extent));
    job.to.resize(static_cast<std::size_t>(job.after.count() * extent));
    for (std::size_t i = 0; i < job.from.size(); ++i)
        job.from[i] = content(job.before.first * extent + static_cast<std::int64_t>(i));
}

inline bool has_arrived(const Job &job) {
    int right = 1;
    for (std::size_t i = 0; i < job.to.size(); ++i)
        if (job.to[i] != content(job.after.first * extent + static_cast<std::int64_t>(i))) right = 0;
    MPI_Allreduce(MPI_IN_PLACE, &right, 1, MPI_INT, MPI_MIN, job.comm.get());
    return right != 0;
}

struct Quartiles {
    double lower, median, upper;
};

inline Quartiles quartiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    auto at = [&](double share) {
        return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5)];
    };
    return {at(0.25), at(0.5), at(0.75)};
}

/// A barrier in which those who have no part in the present sizes take no core from those who have.
inline void meet_asleep() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (int met = 0; met == 0;) {
        MPI_Test(&request, &met, MPI_STATUS_IGNORE);
        if (met == 0) usleep(2000);
    }
}

}
