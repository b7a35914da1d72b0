// SPDX-License-Identifier: BSD-3-Clause
// What all functions of the C API share: errors become codes and messages, exceptions end here.
#pragma once

#include "job/job.hpp"

#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

struct nereus_job {
    std::unique_ptr<nereus::job::Job> inside; ///< empty for a newcomer that is not wanted any more
    std::string message;
    std::map<std::string, std::vector<std::int32_t>> weights; ///< that were given out, by the names of arrays
};

namespace nereus::job {

/// Of what an application names.
inline Done check_name(const char *text) {
    if (text == nullptr || *text == '\0' || std::strlen(text) > longest_name)
        return failed(NEREUS_ERR_ARGUMENT, "a name has 1 to 63 characters");
    return {};
}

inline bool usable(const nereus_job *job) { return job != nullptr && job->inside && !job->inside->leaving(); }

inline int refuse(const nereus_job *job, const Error &error) {
    if (job->inside) job->inside->say(error.what);
    return error.code;
}

/// Runs `act`, which returns a Result that holds a code, or a Done.
template <class Act> int guarded(const nereus_job *job, Act act) try {
    auto done = act();
    if (!done) return refuse(job, done.error());
    if constexpr (std::is_same_v<decltype(done), Done>)
        return NEREUS_OK;
    else
        return *done;
} catch (const std::bad_alloc &) {
    return refuse(job, {NEREUS_ERR_MEMORY, "no memory left"});
} catch (const std::exception &problem) {
    return refuse(job, {NEREUS_ERR_STATE, problem.what()});
}

}
