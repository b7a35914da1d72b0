// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/gathered_pieces.hpp"

#include "mpi/share.hpp"

#include <cstring>
#include <type_traits>

namespace nereus::job {

using epochs::ChunkPiece;
static_assert(std::is_trivially_copyable_v<ChunkPiece>);

Result<std::vector<ChunkPiece>> gathered(MPI_Comm comm, const std::vector<ChunkPiece> &own) {
    mpi::Bytes bytes(own.size() * sizeof(ChunkPiece));
    if (!own.empty()) std::memcpy(bytes.data(), own.data(), bytes.size());
    const auto each = mpi::gather(comm, 0, bytes);
    if (!each) return tl::unexpected(each.error());
    std::vector<ChunkPiece> all;
    for (const mpi::Bytes &of_one : *each) {
        const std::size_t before = all.size(), count = of_one.size() / sizeof(ChunkPiece);
        all.resize(before + count);
        if (count > 0) std::memcpy(all.data() + before, of_one.data(), count * sizeof(ChunkPiece));
    }
    return all;
}

}
