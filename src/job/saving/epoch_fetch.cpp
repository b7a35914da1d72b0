// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_fetch.hpp"

#include "epochs/crc32c.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <tuple>

namespace nereus::job {
namespace {

using epochs::ChunkPiece;

auto place_of(const ChunkPiece &piece) { return std::tuple(piece.array, piece.chunk, piece.place, piece.bytes); }

}

/// Processes of a host often read the same, as of a replicated array: each sees to some of it.
Result<Pieces> EpochFetch::shared_among_here(const Pieces &pieces) const {
    auto all = shared_pieces(folders_.here(), pieces);
    if (!all) return tl::unexpected(all.error());
    std::ranges::sort(*all, {}, place_of);
    const auto rest = std::ranges::unique(*all, {}, place_of);
    all->erase(rest.begin(), rest.end());
    const std::vector<int> &here = folders_.ranks()[folders_.host()];
    const auto first = static_cast<std::size_t>(std::ranges::find(here, rank_) - here.begin());
    Pieces own;
    for (std::size_t i = first; i < all->size(); i += here.size()) own.push_back((*all)[i]);
    return own;
}

/// Those that ask share out among those that have it.
std::vector<Pieces> EpochFetch::asked_of_each(const Pieces &lacked, int ranks) const {
    std::vector<Pieces> asked(static_cast<std::size_t>(ranks));
    for (const ChunkPiece &piece : lacked) {
        const std::vector<std::size_t> &hosts = holders_.hosts_of(piece);
        const auto turn = static_cast<std::size_t>(rank_);
        const std::vector<int> &there = folders_.ranks()[hosts[turn % hosts.size()]];
        asked[static_cast<std::size_t>(there[turn % there.size()])].push_back(piece);
    }
    return asked;
}

/// Of this host's files, by the checksum that the piece had when it was written.
Done EpochFetch::check(const ChunkPiece &piece) {
    if (!checked_.emplace(piece.array, piece.chunk, piece.place).second) return {};
    std::vector<std::byte> bytes(static_cast<std::size_t>(std::min(piece.bytes, most_bytes_at_once)));
    std::uint32_t checksum = 0;
    for (ChunkPiece part = piece; part.place < piece.place + piece.bytes; part.place += part.bytes) {
        part.bytes = std::min(piece.place + piece.bytes - part.place, most_bytes_at_once);
        if (auto done = files_.read(part, bytes.data()); !done) return done;
        const auto count = static_cast<std::size_t>(part.bytes);
        checksum = epochs::crc32c(bytes.data(), count, checksum);
    }
    if (checksum == piece.checksum) return {};
    has_found_damage_ = true;
    return failed(NEREUS_ERR_MISMATCH, folders_.own().string() + ": array " + std::to_string(piece.array) +
                                           " of the epoch does not fit its checksum: it was changed");
}

Done EpochFetch::fetch(const std::vector<ElementsOf> &wanted) {
    Pieces held, lacked;
    for (const ElementsOf &each : wanted) {
        for (const ChunkPiece &piece : holders_.held(folders_.host(), each.array, each.elements)) held.push_back(piece);
        for (const ChunkPiece &piece : holders_.lacked(folders_.host(), each.array, each.elements))
            lacked.push_back(piece);
    }
    const auto to_check = shared_among_here(held), to_ask = shared_among_here(lacked);
    Done listed;
    if (!to_check) listed = tl::unexpected(to_check.error());
    if (!to_ask) listed = tl::unexpected(to_ask.error());
    if (auto done = mpi::agree(comm_, listed); !done) return done;
    int ranks = 0;
    MPI_Comm_size(comm_, &ranks);
    const std::vector<Pieces> asked = asked_of_each(*to_ask, ranks);
    const auto served = exchanged_lists(comm_, asked);
    if (!served) return tl::unexpected(served.error());
    Done fine;
    for (const ChunkPiece &piece : *to_check)
        if (fine) fine = check(piece);
    for (const Pieces &for_one : *served)
        for (const ChunkPiece &part : for_one)
            if (fine) fine = check(holders_.piece_of(part));
    const Done moved = move_pieces(comm_, *served, asked, files_);
    return mpi::agree(comm_, fine ? moved : fine);
}

Done EpochFetch::withdraw(epochs::SaveFolder folder, std::uint64_t epoch, bool is_damaged_here) const {
    const auto is_any = [](bool mine, MPI_Comm comm) -> Result<bool> {
        int any = mine ? 1 : 0;
        auto done = mpi::check(MPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, comm), "MPI_Allreduce");
        return done ? Result<bool>(any != 0) : tl::unexpected(done.error());
    };
    const auto on_this_host = is_any(has_found_damage_ || is_damaged_here, folders_.here());
    if (!on_this_host) return tl::unexpected(on_this_host.error());
    const auto on_any_host = is_any(*on_this_host, comm_);
    if (!on_any_host) return tl::unexpected(on_any_host.error());
    if (folders_.leads() && (*on_this_host || !*on_any_host)) folder.withdraw(epoch);
    return {};
}

}
