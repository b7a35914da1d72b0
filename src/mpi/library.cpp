// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/library.hpp"

#include <mpi.h>

#include <array>
#include <sstream>

namespace nereus::mpi {

std::string library() {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    std::istringstream all{std::string(text.data())}; // Open MPI 4.1 counts the final NUL in `length`
    std::string line, words;
    std::getline(all, line, '\n');
    std::istringstream in(line);
    for (std::string word; in >> word;) words += (words.empty() ? "" : " ") + word;
    return words;
}

}
