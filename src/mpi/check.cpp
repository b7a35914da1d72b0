// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/check.hpp"

namespace nereus::mpi {

std::string sentence(int code) {
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    std::string line(text, static_cast<std::size_t>(length));
    while (!line.empty() && line.back() == '\n') line.pop_back();
    return line.substr(line.rfind('\n') + 1); // npos + 1 is 0
}

}
