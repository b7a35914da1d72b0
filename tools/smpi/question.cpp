// SPDX-License-Identifier: BSD-3-Clause
#include "question.hpp"

#include "base/methods.hpp"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace smpi {
namespace {

using nlohmann::json;

json parsed(const std::string &file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": cannot be read");
    return json::parse(in);
}

Cluster cluster_of(const json &asked) {
    return {asked.at("hosts"), asked.at("bandwidth"), asked.at("latency"), asked.at("memory_bandwidth"),
            asked.at("acknowledgements")};
}

std::vector<int> hosts_in(const json &asked, const Cluster &cluster) {
    std::vector<int> hosts = asked.at("host_of_rank");
    if (hosts.empty() || std::ranges::min(hosts) < 0 || std::ranges::max(hosts) >= cluster.hosts)
        throw std::runtime_error("host_of_rank: is not of this cluster");
    return hosts;
}

nereus::transfer::Method method_of(const std::string &word) {
    const auto number = nereus::number_of(nereus::words::transfer_methods, word);
    if (!number || *number == NEREUS_TRANSFER_AUTO) throw std::runtime_error("method " + word + ": there is none");
    return static_cast<nereus::transfer::Method>(*number);
}

std::vector<Message> messages_in(const json &asked, int ranks) {
    std::vector<Message> messages;
    for (const json &one : asked) {
        const Message message{one.at(0), one.at(1), one.at(2)};
        if (std::min(message.source, message.destination) < 0 || std::max(message.source, message.destination) >= ranks)
            throw std::runtime_error("messages: of a rank that is not there");
        messages.push_back(message);
    }
    return messages;
}

}

Redistribution read_redistribution(const std::string &file) {
    const json asked = parsed(file);
    const Cluster cluster = cluster_of(asked);
    Redistribution read{cluster,           hosts_in(asked, cluster),      asked.at("sources"), asked.at("drains"),
                        asked.at("bytes"), method_of(asked.at("method")), asked.at("check")};
    if (std::min(read.sources, read.drains) < 1 ||
        std::cmp_not_equal(read.host_of_rank.size(), std::max(read.sources, read.drains)))
        throw std::runtime_error("host_of_rank: is not of max(sources, drains) ranks");
    return read;
}

Traffic read_traffic(const std::string &file) {
    const json asked = parsed(file);
    const Cluster cluster = cluster_of(asked);
    // Nobody looks: all wait in MPI.
    const World world{cluster, hosts_in(asked, cluster), 0};
    return {world, messages_in(asked.at("messages"), world.ranks()),
            asked.at("relay").get<bool>() ? Order::relay : Order::exchange, asked.at("iterations"),
            asked.at("compute_seconds")};
}

}
