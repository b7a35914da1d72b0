// SPDX-License-Identifier: BSD-3-Clause
#include "process/process_id.hpp"

#include "mpi/check.hpp"

#include <nlohmann/json.hpp>

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

namespace nereus::process {
namespace {

constexpr int field_after_name = 3, field_of_start = 22;

/// The name of the program stands in parentheses and may hold blanks and parentheses itself.
std::int64_t start_of_this_process() {
    std::ifstream file("/proc/self/stat");
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    const std::size_t end_of_name = text.rfind(')');
    if (end_of_name == std::string::npos) return 0;
    std::istringstream fields(text.substr(end_of_name + 1));
    std::string skipped;
    for (int field = field_after_name; field < field_of_start; ++field) fields >> skipped;
    std::int64_t started = 0;
    fields >> started;
    return fields ? started : 0;
}

}

void to_json(nlohmann::json &out, const ProcessId &id) { out = {{"pid", id.pid}, {"started", id.started}}; }

void from_json(const nlohmann::json &in, ProcessId &id) {
    id = {in.at("pid").get<std::int64_t>(), in.at("started").get<std::int64_t>()};
}

Result<std::vector<ProcessId>> processes_of(MPI_Comm comm) {
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const ProcessId own{getpid(), start_of_this_process()};
    std::vector<ProcessId> all(rank == 0 ? static_cast<std::size_t>(size) : 0);
    static_assert(sizeof(ProcessId) == 2 * sizeof(std::int64_t));
    auto done = mpi::check(MPI_Gather(&own, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, 0, comm), "MPI_Gather");
    if (!done) return tl::unexpected(done.error());
    return all;
}

}
