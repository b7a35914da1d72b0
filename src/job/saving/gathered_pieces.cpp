// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/gathered_pieces.hpp"

#include "mpi/share.hpp"

#include <cstring>
#include <type_traits>

namespace nereus::job {
namespace {

using epochs::ChunkPiece;
static_assert(std::is_trivially_copyable_v<ChunkPiece>);

mpi::Bytes bytes_of(const Pieces &pieces) {
    mpi::Bytes bytes(pieces.size() * sizeof(ChunkPiece));
    if (!pieces.empty()) std::memcpy(bytes.data(), pieces.data(), bytes.size());
    return bytes;
}

void append(Pieces &all, const mpi::Bytes &bytes) {
    const std::size_t before = all.size(), count = bytes.size() / sizeof(ChunkPiece);
    all.resize(before + count);
    if (count > 0) std::memcpy(all.data() + before, bytes.data(), count * sizeof(ChunkPiece));
}

}

Result<Pieces> gathered(MPI_Comm comm, const Pieces &own) {
    const auto each = mpi::gather(comm, 0, bytes_of(own));
    if (!each) return tl::unexpected(each.error());
    Pieces all;
    for (const mpi::Bytes &of_one : *each) append(all, of_one);
    return all;
}

Result<Pieces> shared_pieces(MPI_Comm comm, const Pieces &own) {
    const auto on_one = gathered(comm, own);
    if (!on_one) return tl::unexpected(on_one.error());
    const auto bytes = mpi::share(comm, 0, bytes_of(*on_one));
    if (!bytes) return tl::unexpected(bytes.error());
    Pieces all;
    append(all, *bytes);
    return all;
}

}
