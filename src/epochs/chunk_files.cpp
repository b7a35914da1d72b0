// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/chunk_files.hpp"

namespace nereus::epochs {

Result<File *> ChunkFiles::file_of(const ChunkPiece &piece, LastFile &last, Open open) {
    if (last.file && last.array == piece.array && last.chunk == piece.chunk) return last.file.get();
    last = {};
    const ArrayForm &array = arrays_[static_cast<std::size_t>(piece.array)];
    auto file = (files_.*open)(place_ / array.chunk_file(piece.chunk));
    if (!file) return tl::unexpected(file.error());
    last = {piece.array, piece.chunk, std::move(*file)};
    return last.file.get();
}

Done ChunkFiles::read(const ChunkPiece &piece, std::byte *bytes) {
    auto file = file_of(piece, read_, &Files::open_to_read);
    if (!file) return tl::unexpected(file.error());
    return (*file)->read_at(piece.place, bytes, static_cast<std::size_t>(piece.bytes));
}

Done ChunkFiles::write(const ChunkPiece &piece, const std::byte *bytes) {
    auto file = file_of(piece, written_, &Files::open_to_write);
    if (!file) return tl::unexpected(file.error());
    return (*file)->write_at(piece.place, bytes, static_cast<std::size_t>(piece.bytes));
}

}
