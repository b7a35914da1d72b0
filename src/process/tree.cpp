// SPDX-License-Identifier: BSD-3-Clause
#include "process/tree.hpp"

#include "mpi/port.hpp"

#include <bit>

namespace nereus::process {

int port_place(std::size_t number) { return number == 0 ? 0 : std::countr_zero(number); }

Result<mpi::Comm> join_parties(mpi::Comm party, std::size_t number, const std::vector<std::string> &ports) {
    for (std::size_t distance = 1; distance < ports.size(); distance *= 2) {
        const bool high = number % (2 * distance) != 0;
        if (!high && number + distance >= ports.size()) continue; // nobody to wait for in this round
        auto inter =
            high ? mpi::accept(ports[number], party.get()) : mpi::connect(ports[number + distance], party.get());
        if (!inter) return tl::unexpected(inter.error());
        auto both = mpi::merge(std::move(*inter), high);
        if (!both) return both;
        party = std::move(*both);
        if (high) number -= distance;
    }
    return party;
}

}
