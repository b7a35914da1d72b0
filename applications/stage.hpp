// SPDX-License-Identifier: BSD-3-Clause
// What the library measures of an iteration, where the setting `results` asks for it.
#pragma once

#include <nereus/nereus.hpp>
#include <nereus/stages.h>

#include <cstdint>

namespace applications {

/// A stage of the application, from here to the end of the block. Its names are literals, so that it cannot fail.
class Stage {
public:
    Stage(const nereus::Job &job, const char *name, nereus_stage_kind kind, std::int64_t bytes = 0) : job_(job.get()) {
        nereus_stage_begin(job_, name, kind, bytes);
    }
    Stage(const Stage &) = delete;
    Stage &operator=(const Stage &) = delete;
    ~Stage() { nereus_stage_end(job_); }

private:
    nereus_job *job_;
};

}
