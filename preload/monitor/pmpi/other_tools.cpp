// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/other_tools.hpp"

#include <dlfcn.h>
#include <mpi.h>

namespace nereus::pmpi {
namespace {

std::string file_of(const void *symbol) {
    Dl_info facts{};
    return dladdr(symbol, &facts) != 0 && facts.dli_fname ? facts.dli_fname : "";
}

}

std::optional<std::string> other_tool() {
    const std::string ours = file_of(reinterpret_cast<const void *>(&other_tool));
    const std::string library = file_of(dlsym(RTLD_DEFAULT, "PMPI_Send"));
    const std::string first = file_of(dlsym(RTLD_DEFAULT, "MPI_Send"));
    const std::string next = file_of(dlsym(RTLD_NEXT, "MPI_Send"));
    if (!first.empty() && first != ours && first != library)
        return first + " has wrappers of MPI's calls too, which are called in place of the monitor's";
    if (!next.empty() && next != ours && next != library)
        return next + " has wrappers of MPI's calls too, which are not called since the monitor's are";
    return std::nullopt;
}

}
