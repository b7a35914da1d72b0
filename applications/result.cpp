// SPDX-License-Identifier: BSD-3-Clause
#include "applications/result.hpp"

#include "applications/random.hpp"
#include "tools/common/lines.hpp"

#include <bit>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace applications {

std::string complaint_of_result(const std::string &path) {
    if (path.empty() || std::ofstream(path, std::ios::app)) return "";
    return "--result " + path + ": cannot be written";
}

void write_result(const nereus::Job &job, const std::string &path, const nlohmann::json &line) {
    if (job.rank() != 0) return;
    if (path.empty()) return common::print(line);
    std::ofstream file(path);
    file << line.dump() << '\n' << std::flush;
    if (!file) throw std::runtime_error("--result " + path + ": cannot be written");
}

std::string checksum(MPI_Comm comm, std::span<const double> mine, std::int64_t first) {
    std::uint64_t sum = 0, all = 0;
    auto place = static_cast<std::uint64_t>(first);
    for (const double each : mine) sum += mixed(std::bit_cast<std::uint64_t>(each) ^ mixed(place++));
    MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, comm);
    char digits[17];
    std::snprintf(digits, sizeof digits, "%016llx", static_cast<unsigned long long>(all));
    return digits;
}

double date() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}
