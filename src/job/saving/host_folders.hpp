// SPDX-License-Identifier: BSD-3-Clause
// Folders of epochs in memory, one on each host of the job (setting `protect` = buddy): who makes them, and who writes
// a copy of what others have.
//
// What the processes of a host write lies in the folder of that host, and in that of the next one: whichever host is
// lost, all of an epoch is on the others. A host's folder is called as the system calls the host, by gethostname(), as
// who removes it finds that name without MPI (python/nereus/supervisor/host_keepers.py).
#pragma once

#include "epochs/save_folder.hpp"
#include "mpi/comm.hpp"

#include <string>
#include <vector>

namespace nereus::job {

class HostFolders {
public:
    /// Collective. @param folder  in which each host has its own
    static Result<HostFolders> of(const mpi::Comm &control, const std::string &folder);

    /// Of this host.
    const epochs::Path &own() const { return own_; }
    /// NEREUS_ERR_STATE where it is not there, or not this user's alone. Who makes it for the job removes it later.
    Done check_own() const;
    /// Whether this process makes and completes this host's epochs: it is the first one here.
    bool leads() const { return ranks_[host_].front() == rank_; }
    std::size_t host() const { return host_; }
    /// Of each host, in the order of their first ranks.
    const std::vector<std::vector<int>> &ranks() const { return ranks_; }
    /// Rank on the next host that keeps a copy of what this process writes; -1: all processes are on one host.
    int buddy() const;
    /// The processes of this host.
    MPI_Comm here() const { return here_.get(); }

private:
    HostFolders() = default;

    epochs::Path own_;
    int rank_ = 0;
    std::size_t host_ = 0; ///< number of this one
    std::vector<std::vector<int>> ranks_;
    mpi::Comm here_;
};

}
