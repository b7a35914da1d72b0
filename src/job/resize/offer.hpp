// SPDX-License-Identifier: BSD-3-Clause
// What newcomers are told before any data moves: one versioned message without handles and pointers.
#pragma once

#include "base/settings.hpp"
#include "job/data/registry.hpp"
#include "job/data/shared_arrays.hpp"
#include "mpi/share.hpp"
#include "plan/move.hpp"
#include "plan/process_fate.hpp"

namespace nereus::job {

struct Offer {
    std::int64_t generation = 0; ///< of the sources; -1 while the first generation is made
    plan::Sizes sizes{};
    TransferChoice transfer_choice;
    Settings settings;                        ///< of the job; what a process has of its own does not travel
    plan::World first_world = 0;              ///< which job this is
    std::vector<plan::World> worlds;          ///< of the drains
    std::vector<std::string> source_hosts;    ///< of the sources
    std::vector<std::string> hosts;           ///< of the drains
    std::vector<std::string> redistributions; ///< of the application: names_of_redistributions()
    Handles handles = Handles::object();
};

inline constexpr int tag_offer = 10;

/// @param entries  travel as descriptions; values come at the commit
mpi::Bytes pack(const Offer &offer, const std::vector<Entry> &entries);

/// In the place of an offer, where the resize is rolled back before there is one.
mpi::Bytes pack_rolled_back(const std::string &why);

struct Unpacked {
    Offer offer;
    std::vector<Entry> entries; ///< without data yet
};

/// @param own  the newcomer's settings, of which the offer's keep what each process has of its own
Result<Unpacked> unpack_offer(const mpi::Bytes &bytes, const Settings &own);

}
