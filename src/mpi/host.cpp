// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/host.hpp"

#include "mpi/check.hpp"

#include <array>

namespace nereus::mpi {

Result<std::vector<std::string>> hosts_of(MPI_Comm comm) {
    using Name = std::array<char, MPI_MAX_PROCESSOR_NAME>;
    int size = 0, length = 0;
    MPI_Comm_size(comm, &size);
    Name mine{};
    MPI_Get_processor_name(mine.data(), &length);
    std::vector<Name> names(static_cast<std::size_t>(size));
    constexpr int bytes = MPI_MAX_PROCESSOR_NAME;
    auto done =
        check(MPI_Allgather(mine.data(), bytes, MPI_CHAR, names.data(), bytes, MPI_CHAR, comm), "MPI_Allgather");
    if (!done) return tl::unexpected(done.error());
    std::vector<std::string> hosts;
    for (const Name &name : names) hosts.emplace_back(name.data());
    return hosts;
}

}
