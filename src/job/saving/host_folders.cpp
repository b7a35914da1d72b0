// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/host_folders.hpp"

#include <algorithm>
#include <array>
#include <sys/stat.h>
#include <unistd.h>

namespace nereus::job {
namespace {

using Name = std::array<char, 65>; ///< HOST_NAME_MAX and the zero behind it

/// Collective: what the system calls the host of each rank.
Result<std::vector<std::string>> names_of_hosts(const mpi::Comm &control) {
    Name mine{};
    (void)gethostname(mine.data(), mine.size() - 1);
    std::vector<Name> all(static_cast<std::size_t>(control.size()));
    constexpr int bytes = std::tuple_size_v<Name>;
    auto done = mpi::check(MPI_Allgather(mine.data(), bytes, MPI_CHAR, all.data(), bytes, MPI_CHAR, control.get()),
                           "MPI_Allgather");
    if (!done) return tl::unexpected(done.error());
    std::vector<std::string> names;
    for (const Name &name : all) names.emplace_back(name.data());
    return names;
}

}

Result<HostFolders> HostFolders::of(const mpi::Comm &control, const std::string &folder) {
    const auto names = names_of_hosts(control);
    if (!names) return tl::unexpected(names.error());
    HostFolders folders;
    folders.rank_ = control.rank();
    std::vector<std::string> hosts;
    for (int rank = 0; rank < control.size(); ++rank) {
        const std::string &name = (*names)[static_cast<std::size_t>(rank)];
        const auto known = std::ranges::find(hosts, name);
        const auto number = static_cast<std::size_t>(known - hosts.begin());
        if (known == hosts.end()) {
            hosts.push_back(name);
            folders.ranks_.emplace_back();
        }
        folders.ranks_[number].push_back(rank);
        if (rank == folders.rank_) folders.host_ = number;
    }
    folders.own_ = epochs::Path(folder) / hosts[folders.host_];
    auto here = mpi::Comm::split(control.get(), static_cast<int>(folders.host_), folders.rank_);
    if (!here) return tl::unexpected(here.error());
    folders.here_ = std::move(*here);
    return folders;
}

Done HostFolders::check_own() const {
    for (const epochs::Path &path : {own_.parent_path(), own_}) {
        struct stat found{};
        if (lstat(path.c_str(), &found) != 0)
            return failed(NEREUS_ERR_STATE, path.string() + ": is not there on this host");
        const bool is_private = S_ISDIR(found.st_mode) && found.st_uid == geteuid() && (found.st_mode & 077) == 0;
        if (!is_private) return failed(NEREUS_ERR_STATE, path.string() + ": is not a folder of this user alone");
    }
    return {};
}

int HostFolders::buddy() const {
    if (ranks_.size() < 2) return -1;
    const std::vector<int> &here = ranks_[host_], &next = ranks_[(host_ + 1) % ranks_.size()];
    const auto place = static_cast<std::size_t>(std::ranges::find(here, rank_) - here.begin());
    return next[place % next.size()];
}

}
