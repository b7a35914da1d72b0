// SPDX-License-Identifier: BSD-3-Clause
#include "job/crossing.hpp"

namespace nereus::job {
namespace {

plan::Cut cut(const Description &is, int ranks) { return {is.layout, is.elements, ranks}; }

/// Elements in the part of a rank, if it has one.
std::int64_t count(const Description &is, int ranks, std::optional<int> rank) {
    return rank ? cut(is, ranks).count_of(*rank) : 0;
}

}

Crossing::Crossing(Registry &registry, plan::Sizes sizes, plan::Place place)
    : registry_(registry), sizes_(sizes), place_(place) {
    for (const Entry &entry : registry_.entries())
        moves_.push_back(entry.is.value ? plan::Move{}
                                        : plan::move_of(cut(entry.is, sizes_.sources), cut(entry.is, sizes_.drains),
                                                        sizes_, place_));
}

transfer::Shipment Crossing::shipment_of(std::size_t index) const {
    const Entry &entry = registry_.entries()[index];
    const Description &is = entry.is;
    return {is.name, moves_[index], is.extent, place_.source ? entry.bytes() : nullptr,
            next_.empty() ? nullptr : static_cast<std::byte *>(next_[index])};
}

bool Crossing::travels(std::size_t index, bool constant) const {
    const Description &is = registry_.entries()[index].is;
    return !is.value && is.constant == constant;
}

std::vector<transfer::Shipment> Crossing::shipments(bool constant) const {
    std::vector<transfer::Shipment> all;
    for (std::size_t i = 0; i < registry_.entries().size(); ++i)
        if (travels(i, constant)) all.push_back(shipment_of(i));
    return all;
}

/// Whether the process goes on with the part that it has.
bool Crossing::keeps(std::size_t index) const { return registry_.entries()[index].is.value || moves_[index].unchanged; }

Done Crossing::allocate() {
    next_.assign(registry_.entries().size(), nullptr);
    for (std::size_t i = 0; i < next_.size(); ++i) {
        const Entry &entry = registry_.entries()[i];
        const std::int64_t bytes = count(entry.is, sizes_.drains, place_.drain) * entry.is.extent;
        if (keeps(i) || bytes == 0) continue;
        next_[i] = entry.memory.allocate(static_cast<std::size_t>(bytes), entry.memory.context);
        if (next_[i] == nullptr)
            return failed(NEREUS_ERR_MEMORY,
                          "no memory for " + std::to_string(bytes) + " B of \"" + entry.is.name + "\"");
    }
    return {};
}

Done Crossing::move(bool constant, const transfer::Lane &lane, transfer::Method method, const Settings &settings,
                    News news) {
    double bytes = 0; // of all ranks: the lane's slowest pair is not known here
    for (std::size_t i = 0; i < registry_.entries().size(); ++i)
        if (travels(i, constant)) bytes += static_cast<double>(registry_.entries()[i].is.bytes());
    const Deadline deadline = Deadline::in(settings.seconds_for(bytes), std::move(news));
    return transfer::move(method, lane, shipments(constant), settings.message_bytes, deadline);
}

Done Crossing::verify(const transfer::Lane &lane, const Settings &settings, News news) {
    std::vector<transfer::Shipment> all = shipments(true);
    for (transfer::Shipment &shipment : shipments(false)) all.push_back(std::move(shipment));
    double bytes = 0;
    for (const Entry &entry : registry_.entries()) bytes += static_cast<double>(entry.is.bytes());
    return transfer::verify(lane, all, Deadline::in(settings.seconds_for(bytes), std::move(news)));
}

std::int64_t Crossing::bytes_sent(bool constant) const {
    std::int64_t sum = 0;
    for (const transfer::Shipment &shipment : shipments(constant)) sum += transfer::bytes_sent(shipment);
    return sum;
}

void Crossing::adopt() {
    for (std::size_t i = 0; i < next_.size(); ++i) {
        Entry &entry = registry_.entries()[i];
        if (keeps(i)) continue;
        if (place_.source) entry.release(entry.data);
        entry.data = next_[i];
        entry.point();
    }
    next_.clear();
}

void Crossing::discard() {
    for (std::size_t i = 0; i < next_.size(); ++i) registry_.entries()[i].release(next_[i]);
    next_.clear();
}

}
