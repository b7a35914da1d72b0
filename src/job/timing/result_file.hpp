// SPDX-License-Identifier: BSD-3-Clause
// The file of the setting `results`: what the application's iterations and resizes took (docs/formats/measured.md).
// Rank 0 of each generation writes it. A line that cannot be written is said once; the job goes on.
#pragma once

#include "base/lines_file.hpp"
#include "job/resize/job_state.hpp"
#include "job/saving/epoch_saving.hpp"
#include "mpi/share.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace nereus::job {

class Record {
public:
    Record() = default; ///< nothing is written

    /// For the rank 0 of the founders: those of a job that continues write behind what is there. NEREUS_ERR_SETTING:
    /// the file cannot be written.
    static Result<Record> of_founders(const JobState &members);
    /// For a rank 0 that came later.
    static Record continued(const JobState &members);

    /// @param each  Measured::text() of each process of the generation, which ends now unless the resize is rolled back
    void keep(const JobState &members, const std::vector<mpi::Bytes> &each);

    /// The generation that was kept last has ended, and another process writes what comes.
    void generation_ended();
    /// A committed resize ends the generation that was kept last.
    void resize_ended(const nereus_resize_report &report);
    void job_ended();
    void epoch_ended(const JobState &members, const Result<SavedEpoch> &saved, bool in_memory);

private:
    explicit Record(LinesFile file) : file_(std::move(file)) {}
    Result<Record> if_writable() &&;
    void write(const char *event, std::int64_t generation, const nlohmann::ordered_json &more);
    void write_kept();

    LinesFile file_;
    nlohmann::ordered_json kept_;
    std::int64_t kept_generation_ = 0;
    bool has_complained_ = false;
};

}
