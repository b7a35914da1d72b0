// SPDX-License-Identifier: BSD-3-Clause
#include "applications/agreement.hpp"

#include "tools/common/program.hpp"

namespace applications {

bool anyone_complains(const std::string &program, const nereus::Job &job, const std::string &complaint) {
    const int mine = complaint.empty() ? job.size() : job.rank();
    int first = 0;
    MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, job.comm());
    if (first == job.rank()) common::say(program, complaint);
    return first < job.size();
}

}
