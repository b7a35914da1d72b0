// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data if a method, with a strategy, brought a byte of some layout to the wrong place.
//
// Usage: mpiexec -n RANKS transfer_matrix_test SEED SAMPLES|all
// Nothing is spawned: the first ranks play sources and drains. All cases with as many ranks as there are, or SAMPLES of
// them that the seed chooses. Sources iterate meanwhile: an MPI_Allreduce among them, then a look at the transfer.
#include "transfer_case.hpp"

#include "mpi/threads.hpp"
#include "mpi/waiting.hpp"

#include <random>

using namespace testing_mpi;
using nereus::Deadline;
using nereus::mpi::Comm;
using transfer::Method;
using transfer::Strategy;

namespace {

constexpr double look_seconds = 200e-6, most_seconds = 40;

const std::vector<int> sizes{1, 2, 3, 4, 5, 7, 8};
const std::vector<std::int64_t> extents{1, 3, 8, 24}, counts{0, 1, 2, 1009, 40009};
const std::vector<Shape> shapes{Shape::block, Shape::copies, Shape::cyclic, Shape::cyclic_in_threes};
const std::vector<transfer::Limits> limits{{}, {1000, 1 << 26, 1}, {1 << 30, 5000, 8}, {1 << 30, 1 << 26, 8}};

bool can_be(const Case &what, int ranks) {
    if (nereus::is_one_sided(what.method) && (what.inter || what.strategy == NEREUS_NONBLOCKING)) return false;
    if (what.strategy == NEREUS_THREAD && !nereus::mpi::threads_are_allowed()) return false;
    return what.ranks() <= ranks && (!what.inter || what.sizes.anew);
}

/// Several arrays, of which the first one is what the case is about.
std::vector<ArrayCase> arrays_of(Shape shape, std::int64_t extent, std::int64_t elements) {
    return {{shape, extent, elements}, {Shape::block, 8, 1009}, {Shape::cyclic, 3, 5}, {Shape::block, 1, 0}};
}

template <class Use> void for_each_way(int ranks, Use use) {
    for (const int sources : sizes)
        for (const int drains : sizes)
            for (const int process : {0, 1, 2})
                for (int method = 0; method < NEREUS_TRANSFER_AUTO; ++method)
                    for (int strategy = 0; strategy < NEREUS_STRATEGY_AUTO; ++strategy) {
                        const Case way{{sources, drains, process > 0},
                                       process == 1,
                                       static_cast<Method>(method),
                                       static_cast<Strategy>(strategy)};
                        if (can_be(way, ranks)) use(way);
                    }
}

std::vector<Case> all_cases(int ranks) {
    std::vector<Case> all;
    std::size_t turn = 0;
    for_each_way(ranks, [&](const Case &way) {
        for (const Shape shape : shapes)
            for (const std::int64_t extent : extents)
                for (const std::int64_t count : counts) {
                    all.push_back(way);
                    all.back().limits = limits[turn++ % limits.size()];
                    all.back().arrays = arrays_of(shape, extent, count);
                }
    });
    return all;
}

/// Every method with every strategy is among the samples before one comes twice.
std::vector<Case> samples(int ranks, std::uint64_t seed, std::size_t number) {
    std::mt19937_64 random(seed);
    constexpr std::size_t methods = NEREUS_TRANSFER_AUTO, strategies = NEREUS_STRATEGY_AUTO;
    std::vector<std::vector<Case>> of_way(methods * strategies);
    for (Case &one : all_cases(ranks))
        of_way[static_cast<std::size_t>(one.method) * strategies + static_cast<std::size_t>(one.strategy)].push_back(
            std::move(one));
    std::erase_if(of_way, [](const auto &cases) { return cases.empty(); });
    std::vector<Case> chosen;
    for (std::size_t i = 0; i < number; ++i) {
        const auto &cases = of_way[i % of_way.size()];
        chosen.push_back(cases[random() % cases.size()]);
    }
    return chosen;
}

/// Iterates until all sources' looks say that it is done.
nereus::Done iterate(transfer::Sending &sending, MPI_Comm sources) {
    bool mine = false;
    for (int all = 0; all == 0;) {
        if (!mine) {
            auto done = sending.look(look_seconds);
            if (!done) return tl::unexpected(done.error());
            mine = *done;
        }
        int my_part = mine ? 1 : 0;
        MPI_Allreduce(&my_part, &all, 1, MPI_INT, MPI_MIN, sources);
    }
    return {};
}

nereus::Done carry(const Case &what, const Comm &all, const transfer::Lane &lane, Freight &freight,
                   transfer::Windows &windows) {
    const bool source = what.place_of(all.rank()).source.has_value();
    auto sources = *Comm::split(all.get(), source ? 0 : MPI_UNDEFINED, all.rank());
    transfer::Sending sending(what.method, what.strategy, lane, freight.array_transfers, what.limits, windows);
    if (auto done = sending.start(); !done) return done;
    if (source && what.strategy != NEREUS_BLOCKING)
        if (auto done = iterate(sending, sources.get()); !done) return done;
    return sending.finish(Deadline::in(most_seconds));
}

/// Twice, so that one-sided methods meet the windows of the first time.
void run(const Case &what, const Comm &all) {
    const Comm comm = lane_comm(what, all);
    const transfer::Lane lane = lane_of(what, comm);
    transfer::Windows windows;
    Freight freight(what, what.place_of(all.rank()));
    for (int time = 0; time < 2; ++time) {
        for (Held &one : freight.held) std::memset(one.to.data(), 0xEE, static_cast<std::size_t>(one.to.size()));
        const auto done = carry(what, all, lane, freight, windows);
        expect(done.has_value(), done ? "" : (text_of(what) + ": " + done.error().what).c_str());
        expect(freight.arrived(), (text_of(what) + ": every byte arrives, and no other is touched").c_str());
        const auto same = verify(lane, freight.array_transfers, Deadline::in(most_seconds));
        expect(same.has_value(), (text_of(what) + ": checksums agree").c_str());
    }
    MPI_Barrier(all.get());
    windows.reset();
}

nereus_code code_of_start(const Case &what, const Comm &all) {
    const Comm comm = lane_comm(what, all);
    transfer::Windows windows;
    transfer::Sending sending(what.method, what.strategy, lane_of(what, comm), {}, what.limits, windows);
    const auto done = sending.start();
    return done ? NEREUS_OK : done.error().code;
}

/// Collective over two ranks or more. A user would wait for ever for what MPI cannot do.
void expect_refusals() {
    auto two = *Comm::split(MPI_COMM_WORLD, rank_in(MPI_COMM_WORLD) < 2 ? 0 : MPI_UNDEFINED, rank_in(MPI_COMM_WORLD));
    if (!two) return;
    for (const Method method : {NEREUS_RMA_LOCK, NEREUS_RMA_LOCKALL}) {
        const Case inter{{1, 1, true}, true, method, NEREUS_WAIT_DRAINS};
        expect(code_of_start(inter, two) == NEREUS_ERR_UNSUPPORTED, "no windows over an inter-communicator");
        const Case sources_wait{{1, 1, true}, false, method, NEREUS_NONBLOCKING};
        expect(code_of_start(sources_wait, two) == NEREUS_ERR_UNSUPPORTED, "sources do not see when they were read");
    }
}

/// Those who have no part take no core from those who have.
void meet_asleep() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    expect(nereus::mpi::complete_asleep(request, "meeting").has_value(), "all meet");
}

}

int main(int argc, char **argv) {
    int level = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    expect(argc == 3, "arguments are SEED SAMPLES|all");
    const int ranks = size_of(MPI_COMM_WORLD), rank = rank_in(MPI_COMM_WORLD);
    expect_refusals();
    const bool whole = std::string(argv[2]) == "all";
    const auto cases = whole ? all_cases(ranks) : samples(ranks, std::stoull(argv[1]), std::stoul(argv[2]));
    for (const Case &what : cases) {
        if (rank == 0) std::printf("%s\n", text_of(what).c_str()), std::fflush(stdout);
        auto all = *Comm::split(MPI_COMM_WORLD, rank < what.ranks() ? 0 : MPI_UNDEFINED, rank);
        if (all) run(what, all);
        meet_asleep();
    }
    MPI_Finalize();
    return 0;
}
