// SPDX-License-Identifier: BSD-3-Clause
#include "base/srun.hpp"

#include <gtest/gtest.h>
#include <map>

namespace nereus {
namespace {

using Variables = std::map<std::string, std::string>;

Srun with(const Variables &variables) {
    return Srun([&](const char *name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

Variables step(const std::string &mpi) {
    return {{"SLURM_STEP_ID", "0"}, {"SLURM_MPI_TYPE", mpi}, {"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "4"}};
}

Variables operator+(Variables variables, const Variables &more) {
    for (const auto &[name, value] : more) variables[name] = value;
    return variables;
}

TEST(Srun, NothingIsSaidOfJobsThatOthersStarted) {
    for (const Variables &variables :
         {Variables{}, Variables{{"SLURM_MPI_TYPE", "pmi2"}}, step("pmi2") + Variables{{"MPI_LOCALNRANKS", "2"}},
          step("pmix") + Variables{{"OMPI_COMM_WORLD_SIZE", "2"}}, step("none")}) {
        EXPECT_EQ(with(variables).obstacle(), "");
        EXPECT_EQ(with(variables).said(4), "");
    }
}

TEST(Srun, ProcessesByPmi2NeedProcessorsThatAreShared) {
    EXPECT_NE(with(step("pmi2")).obstacle().find("SLURM_OVERLAP=1"), std::string::npos);
    EXPECT_NE(with(step("pmi2")).said(4).find("cannot make processes"), std::string::npos);
    const Srun shared = with(step("pmi2") + Variables{{"SLURM_OVERLAP", "1"}});
    EXPECT_EQ(shared.obstacle(), "");
    EXPECT_NE(shared.said(4).find("steps of the same Slurm job"), std::string::npos);
}

TEST(Srun, PmixMakesNoProcesses) {
    for (const char *plugin : {"pmix", "pmix_v4"})
        EXPECT_NE(with(step(plugin)).obstacle().find("PMIx"), std::string::npos);
}

TEST(Srun, ProcessesWithoutOneAnotherAreToldOnce) {
    for (const char *plugin : {"none", "pmi2", ""})
        EXPECT_NE(with(step(plugin)).said(1).find("each of the 4 processes"), std::string::npos);
    EXPECT_EQ(with(step("none") + Variables{{"SLURM_PROCID", "3"}}).said(1), "");
    EXPECT_EQ(with(step("none") + Variables{{"SLURM_STEP_NUM_TASKS", "1"}}).said(1), "");
    EXPECT_EQ(with(step("none") + Variables{{"SLURM_STEP_NUM_TASKS", "many"}}).said(1), "");
}

}
}
