// SPDX-License-Identifier: BSD-3-Clause
#include "world.hpp"

#include <mpi.h>
#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>
#include <xbt/log.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>

namespace smpi {
namespace {

namespace s4u = simgrid::s4u;

constexpr double flops = 1e9; // of a host: nothing is told in them
const std::string name = "nereus";

struct Rate {
    std::int64_t from_bytes;
    double share;
};

// SimGrid's own for the model SMPI (Degomme et al., IEEE TPDS 28(8), 2017), told here so that bounds can be told too.
constexpr std::array<Rate, 9> rates{{{65472, 0.940694},
                                     {15424, 0.697866},
                                     {9376, 0.58729},
                                     {5776, 1.08739},
                                     {3484, 0.77493},
                                     {1426, 0.608902},
                                     {732, 0.341987},
                                     {257, 0.338112},
                                     {0, 0.812084}}};

/// As SimGrid reads them: "65472:0.94;15424:0.7;..."
std::string factors() {
    std::ostringstream text;
    for (const Rate &rate : rates) text << rate.from_bytes << ":" << rate.share << ";";
    const std::string all = text.str();
    return all.substr(0, all.size() - 1);
}

/// Ranks take no time between calls of MPI: how fast this machine is must not matter. Naming any algorithm makes all
/// others MPICH's too. With many hosts the sums of rates of 10 GB/s are not exact to SimGrid's usual 1e-5 byte/s.
void configure(const World &world) {
    for (const std::string &setting :
         {std::string("network/model:SMPI"), "smpi/bw-factor:" + factors(), std::string("smpi/simulate-computation:no"),
          std::string("smpi/barrier:ompi_bruck"), std::string("smpi/allreduce:rdb"),
          std::string("smpi/allgather:mpich"), std::string("smpi/grow-injected-times:no"),
          "smpi/test:" + std::to_string(world.look_seconds), std::string("contexts/stack-size:128"),
          std::string("contexts/guard-size:0"), std::string("maxmin/precision:0.01"),
          std::string("network/crosstraffic:") + (world.cluster.acknowledgements ? "yes" : "no")})
        s4u::Engine::set_config(setting);
}

std::vector<s4u::Host *> hosts_of(const Cluster &cluster) {
    auto *const zone = s4u::create_star_zone("cluster");
    std::vector<s4u::Host *> hosts;
    for (int i = 0; i < cluster.hosts; ++i) {
        const std::string number = std::to_string(i);
        auto *const host = zone->create_host("host" + number, flops);
        auto *const link = zone->create_split_duplex_link("link" + number, cluster.bandwidth);
        link->set_latency(cluster.latency)->seal();
        auto *const memory = zone->create_link("memory" + number, cluster.memory_bandwidth)->seal();
        auto *const point = host->get_netpoint();
        zone->add_route(point, nullptr, nullptr, nullptr, {{link, s4u::LinkInRoute::Direction::UP}});
        zone->add_route(point, point, nullptr, nullptr, {s4u::LinkInRoute(memory)});
        hosts.push_back(host);
    }
    zone->seal();
    return hosts;
}

void start_rank(int rank, s4u::Host *host, const std::function<void(int)> &program) {
    auto actor = s4u::Actor::init("rank" + std::to_string(rank), host);
    actor->set_property("instance_id", name);
    actor->set_property("rank", std::to_string(rank));
    actor->start([rank, &program] {
        MPI_Init(nullptr, nullptr);
        program(rank);
        MPI_Finalize();
    });
}

}

void run(const World &world, const std::function<void(int)> &program) {
    xbt_log_control_set("root.thresh:warning");
    std::string own = name;
    std::array<char *, 2> arguments{own.data(), nullptr};
    int count = 1;
    s4u::Engine engine(&count, arguments.data());
    smpi_init_options();
    configure(world);
    SMPI_init();
    const auto hosts = hosts_of(world.cluster);
    SMPI_app_instance_register(name.c_str(), nullptr, world.ranks());
    for (int rank = 0; rank < world.ranks(); ++rank)
        start_rank(rank, hosts[static_cast<std::size_t>(world.host_of_rank[static_cast<std::size_t>(rank)])], program);
    engine.run();
    SMPI_finalize();
}

/// The first reduction finds out who is on which host.
void meet() {
    int mine = 0, all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

void compute(double seconds) {
    if (seconds > 0) s4u::this_actor::sleep_for(seconds);
}

std::byte *folded_memory(std::int64_t bytes) {
    return static_cast<std::byte *>(SMPI_SHARED_MALLOC(static_cast<std::size_t>(bytes)));
}

double share_of_bandwidth(std::int64_t bytes) {
    return std::find_if(rates.begin(), rates.end(), [&](const Rate &rate) { return bytes >= rate.from_bytes; })->share;
}

}
