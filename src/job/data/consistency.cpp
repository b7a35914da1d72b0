// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/consistency.hpp"

#include "job/data/user_redistribution.hpp"
#include "mpi/share.hpp"

#include <functional>
#include <sstream>

namespace nereus::job {
namespace {

std::string text_of(const Registry &registry) {
    std::string text;
    for (const Entry &entry : registry.entries())
        text +=
            entry.is.sentence() + (entry.next_shape ? " that becomes " + shape_in_words(*entry.next_shape) : "") + "\n";
    for (const std::string &name : names_of_redistributions()) text += "redistribution \"" + name + "\"\n";
    return text;
}

Done compare(const std::string &roots, const std::string &mine, int rank) {
    std::istringstream theirs(roots), ours(mine);
    std::string left, right;
    for (;;) {
        const bool has_left = static_cast<bool>(std::getline(theirs, left));
        const bool has_right = static_cast<bool>(std::getline(ours, right));
        if (!has_left && !has_right) return {};
        if (has_left && has_right && left == right) continue;
        return failed(NEREUS_ERR_MISMATCH, "rank " + std::to_string(rank) + " has " + (has_right ? right : "nothing") +
                                               " where rank 0 has " + (has_left ? left : "nothing"));
    }
}

}

Done check_alike(MPI_Comm comm, const Registry &registry) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const std::string mine = text_of(registry);
    const std::uint64_t hash = std::hash<std::string>{}(mine);
    std::uint64_t both[2] = {hash, ~hash}, least[2] = {};
    if (auto done = mpi::check(MPI_Allreduce(both, least, 2, MPI_UINT64_T, MPI_MIN, comm), "MPI_Allreduce"); !done)
        return done;
    if (least[0] == ~least[1]) return {}; // smallest and largest hash are the same
    auto roots = mpi::share(comm, 0, mpi::Bytes(mine.begin(), mine.end()));
    if (!roots) return tl::unexpected(roots.error());
    return mpi::agree(comm, compare(std::string(roots->begin(), roots->end()), mine, rank));
}

Result<std::vector<int>> agree_on_swaps(MPI_Comm comm, Registry &registry, const Done &followed) {
    const std::vector<int> own = registry.parts();
    const int count = static_cast<int>(own.size());
    const int least_and_most[2] = {-count, count};
    int of_all[2] = {};
    auto known = mpi::check(MPI_Allreduce(least_and_most, of_all, 2, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
    if (!known) return tl::unexpected(known.error());
    if (-of_all[0] != of_all[1])
        return failed(NEREUS_ERR_MISMATCH, "ranks have registered " + std::to_string(-of_all[0]) + " to " +
                                               std::to_string(of_all[1]) + " arrays and values");
    std::vector<int> all(own.size());
    known = mpi::check(MPI_Allreduce(own.data(), all.data(), count, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
    if (!known) return tl::unexpected(known.error());
    // Nobody begins to count anew where another one refuses: the next time all would compare different things.
    if (auto done = mpi::agree(comm, followed ? registry.check_swaps(all) : followed); !done)
        return tl::unexpected(done.error());
    registry.apply_swaps(all);
    return all;
}

}
