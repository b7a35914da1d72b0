// SPDX-License-Identifier: BSD-3-Clause
#include "process/spawn.hpp"

#include "base/srun.hpp"
#include "mpi/bounded_call.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace nereus::process {
namespace {

/// An MPI_Info that frees itself.
class Info {
public:
    Info() { MPI_Info_create(&info_); }
    Info(Info &&other) noexcept : info_(std::exchange(other.info_, MPI_INFO_NULL)) {}
    Info &operator=(Info &&) = delete;
    ~Info() {
        if (info_ != MPI_INFO_NULL) MPI_Info_free(&info_);
    }
    void set(const char *key, const std::string &value) { MPI_Info_set(info_, key, value.c_str()); }
    MPI_Info get() const { return info_; }

private:
    MPI_Info info_ = MPI_INFO_NULL;
};

std::vector<char *> as_argv(const std::vector<std::string> &arguments) {
    std::vector<char *> argv;
    for (const std::string &argument : arguments) argv.push_back(const_cast<char *>(argument.c_str()));
    argv.push_back(nullptr);
    return argv;
}

/// Intel's launcher takes "n1:2" of a list for a host's name, and ends the job; it takes "host" of each share.
#ifdef I_MPI_VERSION
constexpr bool takes_lists = false;
#else
constexpr bool takes_lists = true;
#endif

/// Hosts with the numbers of their processes, each host once. Of the key "host" MPICH takes one value for all
/// shares; with a host in the list twice resizes hung in MPI_Bcast. Open MPI does not know the list, and takes "host".
std::string each_host_once(const std::vector<plan::Share> &shares) {
    std::vector<plan::Share> merged;
    for (const plan::Share &share : shares) {
        const auto there = std::ranges::find(merged, share.host, &plan::Share::host);
        if (there == merged.end())
            merged.push_back(share);
        else
            there->ranks += share.ranks;
    }
    std::string list;
    for (const plan::Share &share : merged)
        list += (list.empty() ? "" : ",") + share.host + ":" + std::to_string(share.ranks);
    return list;
}

Done first_failure(int code, const std::vector<int> &codes) {
    if (code != MPI_SUCCESS) return mpi::check(code, "MPI_Comm_spawn");
    const auto bad = std::find_if(codes.begin(), codes.end(), [](int each) { return each != MPI_SUCCESS; });
    return bad == codes.end() ? Done{} : mpi::check(*bad, "MPI_Comm_spawn");
}

Done check_startable(const Program &program) {
    if (auto done = program.check(); !done) return done;
    const std::string obstacle = Srun().obstacle();
    if (obstacle.empty()) return {};
    return failed(NEREUS_ERR_UNSUPPORTED, "this job cannot make processes: " + obstacle);
}

}

Result<mpi::Comm> spawn(MPI_Comm spawners, const Program &program, const plan::Party &party) {
    int rank = 0;
    MPI_Comm_rank(spawners, &rank);
    // A program that is gone would end the whole job with some launchers: found before they are asked.
    const Done startable = rank == 0 ? check_startable(program) : Done{};
    if (auto done = mpi::share_outcome(spawners, 0, startable); !done) return tl::unexpected(done.error());

    const std::size_t shares = party.shares.size();
    std::vector<Info> infos(shares);
    std::vector<MPI_Info> info_handles;
    std::vector<int> ranks;
    for (std::size_t i = 0; i < shares; ++i) {
        infos[i].set("wdir", program.folder);
        if (!party.shares[i].host.empty()) {
            infos[i].set("host", party.shares[i].host);
            if (takes_lists) infos[i].set("hosts", each_host_once(party.shares));
        }
        info_handles.push_back(infos[i].get());
        ranks.push_back(party.shares[i].ranks);
    }
    std::vector<char *> argv = as_argv(program.arguments);
    std::vector<char **> argvs(shares, argv.data());
    std::vector<char *> programs(shares, const_cast<char *>(program.path.c_str()));
    std::vector<int> codes(static_cast<std::size_t>(party.ranks()), MPI_SUCCESS);
    MPI_Comm newcomers = MPI_COMM_NULL;
    const mpi::BoundedCall bounded("MPI_Comm_spawn_multiple", mpi::seconds_to_start());
    const int code = MPI_Comm_spawn_multiple(static_cast<int>(shares), programs.data(), argvs.data(), ranks.data(),
                                             info_handles.data(), 0, spawners, &newcomers, codes.data());
    Done made = first_failure(code, codes);
    if (!made) made = failed(NEREUS_ERR_PROCESS, made.error().what);
    if (auto done = mpi::agree(spawners, made); !done) return tl::unexpected(done.error());
    return mpi::Comm(newcomers);
}

}
