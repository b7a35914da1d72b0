// SPDX-License-Identifier: BSD-3-Clause
// How fast src/transfer moves data, beside bare MPI_Isend and MPI_Irecv of the same bytes over the same pairs, and
// beside the blocking MPI_Alltoallv of the papers (Martín-Álvarez et al., "Análisis de métodos de redistribución",
// section III.C, Algorithm 6), over an inter-communicator too, where MPICH exchanges pairwise (section II.D, Algorithm
// 2).
//
// Usage: mpiexec -n RANKS transfer_bench MIB ROUNDS [--json]
// All sizes share one MPI_COMM_WORLD: nothing is spawned. Each round runs bare calls and all methods in turn on the
// same buffers. Each first run of a way is checked byte by byte and warms the buffers; wrong bytes end the bench
// with 1.
#include "transfer_job.hpp"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace nereus::transfer {
namespace {

constexpr std::int64_t message_bytes = std::int64_t{1} << 30;
/// Blocks lie in a row.
const plan::Run &run_of(const plan::Piece &piece) { return piece.strips.front().runs.front(); }

/// What a program without a library would do.
Done move_bare(const Lane &lane, const ArrayTransfer &array_transfer) {
    std::vector<MPI_Request> requests;
    for (const plan::Piece &piece : array_transfer.move.receives)
        MPI_Irecv(array_transfer.to + run_of(piece).to * extent, static_cast<int>(run_of(piece).count * extent),
                  MPI_BYTE, lane.rank_of_source(piece.peer), 0, lane.comm, &requests.emplace_back());
    for (const plan::Piece &piece : array_transfer.move.sends)
        MPI_Isend(array_transfer.from + run_of(piece).from * extent, static_cast<int>(run_of(piece).count * extent),
                  MPI_BYTE, lane.rank_of_drain(piece.peer), 0, lane.comm, &requests.emplace_back());
    for (const plan::Strip &strip : array_transfer.move.stays)
        std::memcpy(array_transfer.to + strip.runs.front().to * extent,
                    array_transfer.from + strip.runs.front().from * extent,
                    static_cast<std::size_t>(strip.count() * extent));
    return mpi::check(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE),
                      "MPI_Waitall");
}

/// Counts and displacements of one side of an all-to-all, in bytes.
struct Blocks {
    std::vector<int> counts, places;

    explicit Blocks(int peers) : counts(static_cast<std::size_t>(peers)), places(counts.size()) {}

    void add(int peer, std::int64_t count, std::int64_t place) {
        counts[static_cast<std::size_t>(peer)] = static_cast<int>(count * extent);
        places[static_cast<std::size_t>(peer)] = static_cast<int>(place * extent);
    }
};

/// Sources and drains on two sides of an inter-communicator, or all of `lane`; what stays is copied by MPI too.
Done move_by_alltoallv(const Lane &lane, const mpi::Comm &inter, const ArrayTransfer &array_transfer) {
    const MPI_Comm comm = inter ? inter.get() : lane.comm;
    int rank = 0, peers = 0;
    MPI_Comm_rank(lane.comm, &rank);
    inter ? MPI_Comm_remote_size(comm, &peers) : MPI_Comm_size(comm, &peers);
    Blocks out(peers), in(peers);
    for (const plan::Piece &piece : array_transfer.move.sends)
        out.add(inter ? piece.peer : lane.rank_of_drain(piece.peer), run_of(piece).count, run_of(piece).from);
    for (const plan::Piece &piece : array_transfer.move.receives)
        in.add(inter ? piece.peer : lane.rank_of_source(piece.peer), run_of(piece).count, run_of(piece).to);
    for (const plan::Strip &strip : array_transfer.move.stays) {
        out.add(rank, strip.count(), strip.runs.front().from);
        in.add(rank, strip.count(), strip.runs.front().to);
    }
    return mpi::check(MPI_Alltoallv(array_transfer.from, out.counts.data(), out.places.data(), MPI_BYTE,
                                    array_transfer.to, in.counts.data(), in.places.data(), MPI_BYTE, comm),
                      "MPI_Alltoallv");
}

/// A job with the inter-communicator between its sources and drains, where these are two groups of processes.
struct Measured {
    Job job;
    mpi::Comm inter;
};

/// Collective over the job's processes.
mpi::Comm inter_of(const Job &job) {
    if (!job.sizes.anew) return {};
    const bool is_source = job.comm.rank() < job.sizes.sources;
    auto side = mpi::Comm::split(job.comm.get(), is_source ? 0 : 1, job.comm.rank());
    MPI_Comm inter = MPI_COMM_NULL;
    constexpr int tag = 1;
    if (side) MPI_Intercomm_create(side->get(), 0, job.comm.get(), is_source ? job.sizes.sources : 0, tag, &inter);
    return mpi::Comm(inter);
}

struct Way {
    const char *name;
    bool needs_inter;
    Done (*run)(Measured &, const ArrayTransfer &);
};

template <Method method> Done move_by(Measured &measured, const ArrayTransfer &array_transfer) {
    return move(method, measured.job.lane(), {array_transfer}, message_bytes, Deadline::in(most_seconds));
}

/// The first is what the others are compared with.
const std::array ways{
    Way{"bare", false, [](Measured &m, const ArrayTransfer &a) { return move_bare(m.job.lane(), a); }},
    Way{"p2p", false, move_by<NEREUS_P2P>},
    Way{"col", false, move_by<NEREUS_COL>},
    Way{"rma-lock", false, move_by<NEREUS_RMA_LOCK>},
    Way{"rma-lockall", false, move_by<NEREUS_RMA_LOCKALL>},
    Way{"alltoallv", false, [](Measured &m, const ArrayTransfer &a) { return move_by_alltoallv(m.job.lane(), {}, a); }},
    Way{"alltoallv-inter", true,
        [](Measured &m, const ArrayTransfer &a) { return move_by_alltoallv(m.job.lane(), m.inter, a); }},
};

bool is_possible(const Way &way, const Job &job) { return job.sizes.anew || !way.needs_inter; }

/// Time of the slowest rank.
double seconds_of(Measured &measured, const Way &way) {
    const Job &job = measured.job;
    const ArrayTransfer array_transfer = measured.job.array_transfer();
    MPI_Barrier(job.comm.get());
    const Stopwatch watch;
    const Done done = way.run(measured, array_transfer);
    double seconds = watch.seconds();
    if (!done) {
        std::fprintf(stderr, "nereus: transfer_bench: %s: %s\n", way.name, done.error().what.c_str());
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, job.comm.get());
    return seconds;
}

/// Also warms the buffers and MPI's own for this way.
bool arrives_whole(Measured &measured, const Way &way) {
    std::fill(measured.job.to.begin(), measured.job.to.end(), std::byte{0xEE});
    seconds_of(measured, way);
    return has_arrived(measured.job);
}

using Times = std::array<std::vector<double>, ways.size()>;

/// The order turns from round to round, so that no way always follows the same other one.
Times measure(Measured &measured, int rounds) {
    Times times;
    for (int round = 0; round < rounds; ++round)
        for (std::size_t turn = 0; turn < ways.size(); ++turn) {
            const std::size_t way = (turn + static_cast<std::size_t>(round)) % ways.size();
            if (is_possible(ways[way], measured.job)) times[way].push_back(seconds_of(measured, ways[way]));
        }
    return times;
}

std::vector<double> ratios(const std::vector<double> &bare, const std::vector<double> &ours) {
    std::vector<double> all;
    for (std::size_t i = 0; i < bare.size(); ++i) all.push_back(bare[i] / ours[i]);
    return all;
}

void print_way(const Job &job, std::int64_t bytes, const Times &times, std::size_t way, bool json) {
    const Quartiles ratio = quartiles(ratios(times[0], times[way]));
    const double bare = static_cast<double>(bytes) / quartiles(times[0]).median / 1e9;
    const double ours = static_cast<double>(bytes) / quartiles(times[way]).median / 1e9;
    const char *processes = job.sizes.anew ? "baseline" : "merge";
    if (json) {
        const nlohmann::json line{
            {"processes", processes},     {"from", job.sizes.sources},  {"to", job.sizes.drains},
            {"transfer", ways[way].name}, {"bytes_sent", bytes},        {"bare_gb_per_s", bare},
            {"gb_per_s", ours},           {"ratio", ratio.median},      {"ratio_lower", ratio.lower},
            {"ratio_upper", ratio.upper}, {"rounds", times[way].size()}};
        std::printf("%s\n", line.dump().c_str());
    } else {
        std::printf("%-8s %d -> %d  %-15s %9.1f MB  bare %6.2f GB/s  ours %6.2f GB/s  ratio %.3f  (%.3f .. %.3f)\n",
                    processes, job.sizes.sources, job.sizes.drains, ways[way].name, static_cast<double>(bytes) / 1e6,
                    bare, ours, ratio.median, ratio.lower, ratio.upper);
    }
    std::fflush(stdout);
}

/// @return whether all bytes arrived
bool run_job(Job job, int rounds, bool json) {
    prepare(job);
    mpi::Comm inter = inter_of(job);
    Measured measured{std::move(job), std::move(inter)};
    const mpi::Comm &comm = measured.job.comm;
    for (const Way &way : ways)
        if (is_possible(way, measured.job) && !arrives_whole(measured, way)) {
            if (comm.rank() == 0) std::fprintf(stderr, "nereus: transfer_bench: %s brought wrong bytes\n", way.name);
            return false;
        }
    const Times times = measure(measured, rounds);
    std::int64_t bytes = bytes_sent(measured.job.array_transfer());
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_INT64_T, MPI_SUM, comm.get());
    for (std::size_t way = 1; way < ways.size(); ++way)
        if (comm.rank() == 0 && !times[way].empty()) print_way(measured.job, bytes, times, way, json);
    return true;
}

/// Runs the sizes for which there are ranks enough.
bool run(std::int64_t mib, int rounds, bool json) {
    const std::vector<plan::Sizes> all{{2, 4, false}, {4, 2, false}, {1, 3, false}, {3, 1, false},
                                       {3, 5, false}, {5, 2, false}, {1, 1, true},  {2, 2, true},
                                       {2, 3, true},  {3, 2, true},  {1, 4, true},  {4, 1, true}};
    int rank = 0, ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    bool right = true;
    for (const plan::Sizes &sizes : all) {
        const int needed = sizes.anew ? sizes.sources + sizes.drains : std::max(sizes.sources, sizes.drains);
        if (needed > ranks) continue;
        auto comm = mpi::Comm::split(MPI_COMM_WORLD, rank < needed ? 0 : MPI_UNDEFINED, rank);
        if (comm && *comm)
            right = run_job({sizes, mib * (1 << 20) / extent, std::move(*comm), {}, {}, {}, {}}, rounds, json) && right;
        meet_asleep();
    }
    return right;
}

}
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    const bool json = argc == 4 && std::strcmp(argv[3], "--json") == 0;
    const int mib = argc > 1 ? std::atoi(argv[1]) : 0, rounds = argc > 2 ? std::atoi(argv[2]) : 0;
    int code = 2;
    if (argc > (json ? 4 : 3) || mib < 1 || mib > 2047 || rounds < 1)
        std::fprintf(stderr, "nereus: usage: transfer_bench MIB ROUNDS [--json], MIB 1 .. 2047, ROUNDS from 1\n");
    else
        code = nereus::transfer::run(mib, rounds, json) ? 0 : 1;
    MPI_Finalize();
    return code;
}
