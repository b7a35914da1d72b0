// SPDX-License-Identifier: BSD-3-Clause
// Processes of one host that pretend to run on several, for epochs in memory of hosts (setting `protect` = buddy).
//
//     PROGRAM ... on=aab lost=c damaged=b
//         ranks 0 and 1 run on host a, rank 2 on b; nothing is left of the memory of c, and the newest epoch of b was
//         changed; with variables=b in place of damaged=b, but for what the one before has, too
//
// A program that includes this has a gethostname() of its own, which the library finds before the system's.
#pragma once

#include "expect.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/stat.h>

namespace testing_mpi {

inline std::string &pretended_host() {
    static std::string name;
    return name;
}

inline std::filesystem::path &folder_of_host() {
    static std::filesystem::path folder;
    return folder;
}

/// Number of the newest complete one that this process' host has; 0: there is none.
inline int newest_epoch_of_host() {
    int newest = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder_of_host()))
        if (const std::string name = entry.path().filename().string(); name.starts_with("epoch-"))
            newest = std::max(newest, std::stoi(name.substr(6)));
    return newest;
}

/// Files of its latest epoch that the one before has, too.
inline int linked_files_of_host(int epoch) {
    int number = 0;
    const std::filesystem::path folder = folder_of_host() / ("epoch-" + std::to_string(epoch));
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        number += entry.is_regular_file() && entry.hard_link_count() > 1 ? 1 : 0;
    return number;
}

inline std::string argument(int argc, char **argv, const std::string &prefix) {
    for (int i = 1; i < argc; ++i)
        if (const std::string word = argv[i]; word.starts_with(prefix)) return word.substr(prefix.size());
    return "";
}

/// All chunks of this host's newest epoch, or those that only it has.
inline void damage_newest_epoch(bool also_linked) {
    const std::filesystem::path folder = folder_of_host() / ("epoch-" + std::to_string(newest_epoch_of_host()));
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        if (entry.is_regular_file() && entry.path().filename() != "zarr.json" &&
            (also_linked || entry.hard_link_count() == 1))
            std::fstream(entry.path(), std::ios::in | std::ios::out | std::ios::binary) << "damaged";
}

/// After MPI_Init(), whose own view of hosts stays as it is. @return whether the job is to keep its epochs on hosts
inline bool pretend_hosts(int argc, char **argv) {
    const std::string on = argument(argc, argv, "on="), lost = argument(argc, argv, "lost=");
    if (on.empty()) return false;
    const std::filesystem::path folder = argument(argc, argv, "--nereus-protect-folder=");
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    pretended_host() = on.at(static_cast<std::size_t>(rank));
    if (rank == 0)
        for (const char letter : lost) std::filesystem::remove_all(folder / std::string(1, letter));
    MPI_Barrier(MPI_COMM_WORLD);
    folder_of_host() = folder / pretended_host();
    umask(077); // folders of epochs in memory are the user's alone
    std::filesystem::create_directories(folder_of_host());
    const bool leads = on.find(pretended_host()) == static_cast<std::size_t>(rank);
    for (const bool also_linked : {true, false}) {
        const std::string hosts = argument(argc, argv, also_linked ? "damaged=" : "variables=");
        if (leads && hosts.find(pretended_host()) != std::string::npos) damage_newest_epoch(also_linked);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return true;
}

}

extern "C" __attribute__((visibility("default"))) int gethostname(char *name, std::size_t length) noexcept {
    const std::string &known = testing_mpi::pretended_host(), host = known.empty() ? "localhost" : known;
    std::memset(name, 0, length);
    std::memcpy(name, host.data(), std::min(host.size(), length - 1));
    return 0;
}
