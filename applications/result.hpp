// SPDX-License-Identifier: BSD-3-Clause
// What a run comes to: one line of JSON, and what goes into the lines of all applications.
#pragma once

#include <nereus/nereus.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>

namespace applications {

/// What is wrong with a place for the result line, or "". Makes the file.
std::string complaint_of_result(const std::string &path);

/// Rank 0 writes the line to the file, or to stdout where `path` is "". Throws where the file cannot be written.
void write_result(const nereus::Job &job, const std::string &path, const nlohmann::json &line);

/// Collective. A number that changes when any bit or place of any element does, and not with the cut; 16 hexadecimal
/// digits. @param first global number of the first element of `mine`
std::string checksum(MPI_Comm comm, std::span<const double> mine, std::int64_t first);

/// Seconds since 1970: newcomers, also on other hosts, go on with the founders' time.
double date();

}
