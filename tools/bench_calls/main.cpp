// SPDX-License-Identifier: BSD-3-Clause
// nereus-calls: what a call of MPI takes with a sensor before it and without, in turns, within one run.
//
// Rank 0 prints a JSON object a line for each call and size. A sensor that wraps calls is loaded before this program
// starts (LD_PRELOAD); for one inside the MPI, which no call can go past, --one-way takes every batch through it.
#include "batches.hpp"
#include "halo.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using calls::Batches;
using calls::Through;

struct Plan {
    std::vector<std::string> names = Batches::names();
    std::vector<int> sizes{0, 4096};
    int repeat = 15;
    bool one_way = false;
};

constexpr int bad_input = 2;

/// Calls of a batch: many of the short ones, so that the clock does not matter; few of the long ones.
int number_of(const std::string &name, int bytes) {
    const long long work = name == "halo" ? calls::Halo::work(bytes) : bytes;
    return static_cast<int>(std::clamp((1LL << 24) / (work + 1), 40LL, 4000LL));
}

nlohmann::ordered_json measure(Batches &batches, const Plan &plan, const std::string &name, int bytes) {
    const int number = number_of(name, bytes);
    std::vector<double> off, on;
    batches.seconds(name, bytes, number, Through::wrappers); // connects, and brings all that it needs into caches
    for (int round = 0; round < plan.repeat; ++round) {
        const bool is_on_first = round % 2 == 0;
        for (const bool is_on : {is_on_first, !is_on_first}) {
            if (plan.one_way && !is_on) continue;
            const double each = batches.seconds(name, bytes, number, is_on ? Through::wrappers : Through::nothing);
            (is_on ? on : off).push_back(each);
        }
    }
    nlohmann::ordered_json cell{
        {"call", name}, {"bytes", bytes}, {"calls", number}, {"off_seconds", off}, {"on_seconds", on}};
    if (name == "halo") cell["communication_share"] = batches.communication_share(bytes, number);
    return cell;
}

void run(const Plan &plan) {
    int rank = 0, ranks = 1;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    Batches batches(*std::max_element(plan.sizes.begin(), plan.sizes.end()));
    for (const std::string &name : plan.names)
        for (const int bytes : plan.sizes) {
            auto line = measure(batches, plan, name, bytes);
            line["ranks"] = ranks;
            if (rank == 0) std::cout << line.dump() << std::endl;
        }
}

}

int main(int argc, char **argv) {
    Plan plan;
    CLI::App app{"Times calls of MPI with a sensor before them and without, in turns.\n\n"
                 "Example: mpiexec -n 2 nereus-calls --calls send,put --bytes 0,4096\n"};
    app.add_option("--calls", plan.names, "send, alltoall, put, halo")
        ->delimiter(',')
        ->check(CLI::IsMember(Batches::names()));
    app.add_option("--bytes", plan.sizes,
                   "of a message: for alltoall to each rank, for halo of a row of a square of numbers")
        ->delimiter(',')
        ->check(CLI::Range(0, 1 << 26));
    app.add_option("--repeat", plan.repeat, "batches of each")->check(CLI::Range(1, 100000));
    app.add_flag("--one-way", plan.one_way, "no batch goes past the wrappers");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? 0 : bad_input;
    }
    MPI_Init(&argc, &argv);
    run(plan);
    MPI_Finalize();
    return 0;
}
