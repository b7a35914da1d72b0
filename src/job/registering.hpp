// SPDX-License-Identifier: BSD-3-Clause
// What the application registers and takes out again. A newcomer that registers something else than the job has ends
// the job (decision 0024).
#pragma once

#include "job/data/matrix_rows.hpp"
#include "job/resize/job_state.hpp"

#include <string>
#include <vector>

namespace nereus::job {

/// Collective where the array is shared. @param borders  of columns and values of a matrix, where this is no newcomer
Done add_array(JobState &job, Description is, void **pointer, const nereus_memory *own_memory,
               std::vector<std::int64_t> borders = {});
/// Collective. @param nonzeros  in the rows of this founder
Done add_matrix(JobState &job, MatrixParts parts, std::int64_t nonzeros, nereus_matrix *matrix);
Done add_value(JobState &job, const Description &is, void *value);

/// @param call  of the program that needs all to be there
void check_that_all_is_registered(const JobState &job, const std::string &call);

/// Collective where the array is shared. `name` is registered, and can go.
Done take_out(JobState &job, const std::string &name);

}
