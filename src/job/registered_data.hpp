// SPDX-License-Identifier: BSD-3-Clause
// Arrays, matrices and values as the application registers, changes and takes them out, beside a resize that may be
// under way.
#pragma once

#include "job/data/matrix_rows.hpp"
#include "job/resize/job_state.hpp"

#include <nereus/nereus.h>

#include <functional>
#include <string>

namespace nereus::job {

class RegisteredData {
public:
    /// Rolls back a resize that has begun to send data, and says why: an array that comes would be missing in the next
    /// generation, newcomers would wait for one that goes, and have parts of one that is distributed otherwise.
    using UndoResize = std::function<void(const std::string &why)>;

    RegisteredData(JobState &job, UndoResize undo_resize) : job_(job), undo_resize_(std::move(undo_resize)) {}

    Done add_array(const Description &is, void **pointer, const nereus_memory *own_memory);
    /// @param nonzeros  in the rows of this founder
    Done add_matrix(const MatrixParts &parts, std::int64_t nonzeros, nereus_matrix *matrix);
    Done add_value(const Description &is, void *value);
    Done forget(const std::string &name);
    Done swap(const std::string &one, const std::string &other) { return job_.registry.swap(one, other); }
    /// As change_distribution().
    Result<nereus_code> distribute(const std::string &name, const Result<plan::Shape> &wanted);

private:
    template <class Register> Done with_new_entries(const std::string &name, const Register &enter);

    JobState &job_;
    UndoResize undo_resize_;
};

}
