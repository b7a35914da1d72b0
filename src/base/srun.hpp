// SPDX-License-Identifier: BSD-3-Clause
// What a job can do that Slurm's srun started itself, without a launcher of the MPI (srun(1), --mpi).
//
// Where it makes more processes, by PMI2, they are a further step of the same Slurm job, which srun asks for with the
// environment that it had itself. Such a step waits, without a limit, for processors that no other step has, unless
// SLURM_OVERLAP was set (measured with Slurm 22.05).
#pragma once

#include <cstdlib>
#include <functional>
#include <string>

namespace nereus {

class Srun {
public:
    using Environment = std::function<const char *(const char *)>;

    explicit Srun(const Environment &environment = [](const char *name) { return std::getenv(name); }) {
        const auto value = [&](const char *name) {
            const char *text = environment(name);
            return std::string(text == nullptr ? "" : text);
        };
        // The launchers of MPICH, Intel MPI and Open MPI may be steps of srun; they tell their own processes this.
        const bool has_launcher = !value("MPI_LOCALNRANKS").empty() || !value("OMPI_COMM_WORLD_SIZE").empty();
        if (value("SLURM_STEP_ID").empty() || has_launcher) return;
        mpi_ = value("SLURM_MPI_TYPE");
        overlaps_ = value("SLURM_OVERLAP") == "1";
        is_first_ = value("SLURM_PROCID") == "0";
        tasks_ = std::atoi(value("SLURM_STEP_NUM_TASKS").c_str());
    }

    /// Why there can be no more processes; "": nothing is known against it.
    std::string obstacle() const {
        if (uses("pmix")) return "srun started it by PMIx, which makes no more: start it with `nereus run`";
        if (!uses("pmi2") || overlaps_) return "";
        return "srun started it without SLURM_OVERLAP=1, so more would wait for processors that the job itself has: "
               "set "
               "it before srun, or start the job with `nereus run`";
    }

    /// What rank 0 of a job of `size` processes is to tell about it; "": nothing.
    std::string said(int size) const {
        if (tasks_ > 1 && size == 1)
            return is_first_ ? "each of the " + std::to_string(tasks_) +
                                   " processes that srun started is a job of its own: --mpi=pmi2 or another word of "
                                   "`srun --mpi=list` connects them, or `nereus run`"
                             : "";
        if (const std::string why = obstacle(); !why.empty()) return "this job cannot make processes: " + why;
        if (!uses("pmi2")) return "";
        return "srun started this job: more processes are steps of the same Slurm job; `nereus run` can get more hosts";
    }

private:
    bool uses(const char *plugin) const { return mpi_.starts_with(plugin); }

    std::string mpi_; ///< the plugin; "": none, or srun did not start us
    bool overlaps_ = false;
    bool is_first_ = false;
    int tasks_ = 0;
};

}
