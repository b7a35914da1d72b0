// SPDX-License-Identifier: BSD-3-Clause
#include "mpi/share.hpp"

#include <climits>
#include <numeric>

namespace nereus::mpi {

Result<Bytes> share(MPI_Comm comm, int root, Bytes bytes) {
    std::uint64_t size = bytes.size();
    if (auto done = check(MPI_Bcast(&size, 1, MPI_UINT64_T, root, comm), "MPI_Bcast"); !done)
        return tl::unexpected(done.error());
    if (size > INT_MAX) return failed(NEREUS_ERR_RANGE, "what is registered needs more than 2 GiB to describe");
    bytes.resize(size);
    if (auto done = check(MPI_Bcast(bytes.data(), static_cast<int>(size), MPI_BYTE, root, comm), "MPI_Bcast"); !done)
        return tl::unexpected(done.error());
    return bytes;
}

Result<std::vector<Bytes>> gather(MPI_Comm comm, int root, const Bytes &bytes) {
    int rank = 0, size = 0, mine = static_cast<int>(bytes.size());
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    const bool here = rank == root;
    std::vector<int> counts(here ? static_cast<std::size_t>(size) : 0), places(counts);
    auto done = check(MPI_Gather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, root, comm), "MPI_Gather");
    if (!done) return tl::unexpected(done.error());
    std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
    Bytes all(here ? static_cast<std::size_t>(places.back() + counts.back()) : 0);
    done =
        check(MPI_Gatherv(bytes.data(), mine, MPI_BYTE, all.data(), counts.data(), places.data(), MPI_BYTE, root, comm),
              "MPI_Gatherv");
    if (!done) return tl::unexpected(done.error());
    std::vector<Bytes> each;
    for (std::size_t i = 0; i < counts.size(); ++i)
        each.emplace_back(all.begin() + places[i], all.begin() + places[i] + counts[i]);
    return each;
}

Done share_outcome(MPI_Comm comm, int root, const Done &mine) {
    int code = mine ? NEREUS_OK : mine.error().code;
    if (auto done = check(MPI_Bcast(&code, 1, MPI_INT, root, comm), "MPI_Bcast"); !done) return done;
    if (code == NEREUS_OK) return {};
    Bytes text;
    if (!mine) text.assign(mine.error().what.begin(), mine.error().what.end());
    auto told = share(comm, root, std::move(text));
    if (!told) return tl::unexpected(told.error());
    return failed(static_cast<nereus_code>(code), std::string(told->begin(), told->end()));
}

Result<Bytes> share_result(MPI_Comm comm, int root, const Result<Bytes> &bytes) {
    const Done mine = bytes ? Done{} : Done(tl::unexpected(bytes.error()));
    if (auto done = share_outcome(comm, root, mine); !done) return tl::unexpected(done.error());
    return share(comm, root, bytes.value_or(Bytes{}));
}

Done agree(MPI_Comm comm, const Done &mine) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    int mine_or_later = mine ? INT_MAX : rank, first = INT_MAX;
    if (auto done = check(MPI_Allreduce(&mine_or_later, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce"); !done)
        return done;
    return first == INT_MAX ? Done{} : share_outcome(comm, first, mine);
}

}
