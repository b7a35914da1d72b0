// SPDX-License-Identifier: BSD-3-Clause
#include "process/spawn.hpp"

#include "mpi/share.hpp"

#include <algorithm>
#include <vector>

namespace nereus::process {
namespace {

/// An MPI_Info that frees itself.
class Info {
public:
    Info() { MPI_Info_create(&info_); }
    Info(const Info &) = delete;
    Info &operator=(const Info &) = delete;
    ~Info() { MPI_Info_free(&info_); }
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

Done first_failure(int code, const std::vector<int> &codes) {
    if (code != MPI_SUCCESS) return mpi::check(code, "MPI_Comm_spawn");
    const auto bad = std::find_if(codes.begin(), codes.end(), [](int each) { return each != MPI_SUCCESS; });
    return bad == codes.end() ? Done{} : mpi::check(*bad, "MPI_Comm_spawn");
}

}

Result<mpi::Comm> spawn(MPI_Comm members, const Program &program, int count) {
    int rank = 0;
    MPI_Comm_rank(members, &rank);
    // A program that is gone would end the whole job with some launchers: found before they are asked.
    const Done startable = rank == 0 ? program.check() : Done{};
    if (auto done = mpi::share_outcome(members, 0, startable); !done) return tl::unexpected(done.error());

    Info info;
    info.set("wdir", program.folder);
    std::vector<char *> argv = as_argv(program.arguments);
    std::vector<int> codes(static_cast<std::size_t>(count), MPI_SUCCESS);
    MPI_Comm newcomers = MPI_COMM_NULL;
    const int code =
        MPI_Comm_spawn(program.path.c_str(), argv.data(), count, info.get(), 0, members, &newcomers, codes.data());
    Done made = first_failure(code, codes);
    if (!made) made = failed(NEREUS_ERR_PROCESS, made.error().what);
    if (auto done = mpi::agree(members, made); !done) return tl::unexpected(done.error());
    return mpi::Comm(newcomers);
}

}
