// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/present.hpp"

#include "pmpi/members.hpp"
#include "pmpi/sensor.hpp"
#include "pmpi/traced.hpp"
#include "pmpi/worlds.hpp"

#include <mutex>
#include <vector>

namespace nereus::pmpi {
namespace {

std::atomic<std::uint32_t> generation{0};
std::atomic<std::uint8_t> phase{0};

std::mutex guard;
std::string job_entered;
std::vector<std::string> phases; ///< the first has number 1

/// The number of the name; 0 where there is no room for it.
std::uint8_t number_of_phase(const std::string &name) {
    for (std::size_t i = 0; i < phases.size(); ++i)
        if (phases[i] == name) return static_cast<std::uint8_t>(i + 1);
    if (phases.size() == most_phases) return 0;
    phases.push_back(name);
    record().tell({{"event", "phase"}, {"phase", phases.size()}, {"name", name}});
    return static_cast<std::uint8_t>(phases.size());
}

}

void bring_to_present(monitor::Address &address) {
    address.generation = generation.load(std::memory_order_relaxed);
    address.phase = phase.load(std::memory_order_relaxed);
}

monitor::Address address_now(monitor::Kind kind) {
    monitor::Address address;
    address.kind = kind;
    bring_to_present(address);
    return address;
}

bool enter_generation(MPI_Comm comm, const std::string &job, std::uint32_t number) {
    const std::lock_guard lock(guard);
    if (job_entered == job && generation == number) return false;
    job_entered = job;
    generation = number;
    MPI_Group group = MPI_GROUP_NULL;
    int own_rank = 0, size = 0;
    PMPI_Comm_group(comm, &group);
    PMPI_Group_rank(group, &own_rank);
    PMPI_Group_size(group, &size);
    record().tell({{"event", "generation"},
                   {"generation", number},
                   {"job", job},
                   {"own_rank", own_rank},
                   {"members", worlds().runs(group, size)}});
    PMPI_Group_free(&group);
    if (Traced *const to = trace()) to->mark("generation", number);
    new_version();
    return true;
}

bool enter_phase(const std::string &name) {
    const std::lock_guard lock(guard);
    const std::uint8_t number = name.empty() ? 0 : number_of_phase(name);
    if (number == 0 && !name.empty()) return false;
    phase = number;
    if (Traced *const to = trace()) to->mark("phase", number);
    new_version();
    return true;
}

void forget_present() {
    const std::lock_guard lock(guard);
    generation = 0;
    phase = 0;
    job_entered.clear();
    phases.clear();
}

}
