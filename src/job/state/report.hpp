// SPDX-License-Identifier: BSD-3-Clause
// The report of a resize as it travels between processes, to the supervisor, and as a sentence.
#pragma once

#include "job/state/request.hpp"

#include <nereus/nereus.h>

#include <nlohmann/json.hpp>

#include <string>

namespace nereus::job {

/// Fills a text of a report, cut where it is too long.
template <std::size_t size> void write_into(char (&field)[size], const std::string &text) {
    field[text.copy(field, size - 1)] = '\0';
}

/// What is known when a resize begins.
///
/// @param from  processes before
nereus_resize_report report_of(const Request &request, int from);

nlohmann::json as_json(const nereus_resize_report &report);
nereus_resize_report report_from(const nlohmann::json &json);

/// What the supervisor is told (docs/formats/link.md: `report`): methods and strategies are words.
nlohmann::json for_people(const nereus_resize_report &report);

/// "resize 7 from 4 to 6 processes was rolled back while making: ..."
///
/// @param why_chosen  where `auto` chose how the data was carried: why so; else ""
std::string sentence(const nereus_resize_report &report, const std::string &why_chosen);

/// Of one that was under way when the job ended, for rank 0's stderr.
std::string rolled_back_at_close(const nereus_resize_report &report);

}
