// SPDX-License-Identifier: BSD-3-Clause
// What newcomers are told before any data moves: one versioned message without handles and pointers.
#pragma once

#include "base/settings.hpp"
#include "job/registry.hpp"
#include "mpi/share.hpp"
#include "plan/move.hpp"
#include "plan/release.hpp"

#include <nlohmann/json.hpp>

namespace nereus::job {

struct Offer {
    std::int64_t generation = 0; ///< of the sources
    plan::Sizes sizes{};
    int transfer_method = 0;
    Settings settings;               ///< what both sides must have alike: verify, message_bytes, time limits
    std::vector<plan::World> worlds; ///< of the drains
};

/// @param entries  travel as descriptions; values with their data
mpi::Bytes pack(const Offer &offer, const std::vector<Entry> &entries);

struct Unpacked {
    Offer offer;
    std::vector<Entry> entries; ///< arrays without data yet
};
Result<Unpacked> unpack_offer(const mpi::Bytes &bytes);

/// Fills a text of a report, cut where it is too long.
template <std::size_t size> void write_into(char (&field)[size], const std::string &text) {
    field[text.copy(field, size - 1)] = '\0';
}

nlohmann::json as_json(const nereus_resize_report &report);
nereus_resize_report report_from(const nlohmann::json &json);

}
