// SPDX-License-Identifier: BSD-3-Clause
// How an array is kept: its elements in global order, in chunks of one length, as an array of Zarr version 3
// (https://zarr-specs.readthedocs.io, core specification, sections "Array metadata" and "Regular grids").
#pragma once

#include "base/error.hpp"
#include "epochs/files.hpp"
#include "plan/layout.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace nereus::epochs {

inline constexpr std::int64_t most_chunk_bytes = std::int64_t{64} << 20;
/// Behind the bytes of each chunk.
inline constexpr std::int64_t checksum_bytes = 4;

struct ArrayForm {
    std::string name;          ///< that the application gave it
    std::string type;          ///< Zarr's data type; "": elements are kept as bytes, by a second dimension
    std::int64_t elements = 0; ///< from 0
    std::int64_t extent = 1;   ///< bytes of an element

    std::int64_t bytes() const { return elements * extent; }
    /// The last one is kept as long as the others, with zeros at its end.
    std::int64_t elements_of_chunk() const;
    std::int64_t chunks() const;
    std::int64_t chunk_bytes() const { return elements_of_chunk() * extent; }

    /// Below the folder of the epoch: the name, with `%` and two digits for what file systems or Zarr do not allow.
    Path folder() const;
    Path chunk_file(std::int64_t chunk) const;
    Path metadata_file() const { return folder() / "zarr.json"; }
    /// What zarr.json says.
    std::string metadata() const;
    /// NEREUS_ERR_MISMATCH where `text` is not metadata().
    Done check_metadata(const std::string &text) const;
};

/// Bytes of one chunk that lie in a row.
struct ChunkPart {
    std::int64_t chunk;
    std::int64_t place; ///< in the chunk
    std::int64_t bytes;
};

/// Where these elements of an array are kept, in their order.
std::vector<ChunkPart> chunk_parts(const ArrayForm &array, plan::Range elements);

/// Of a data type whose elements MPI calls `kind` (`float`, `int`, `uint`, `complex`, `bool`) of so many bytes; ""
/// where Zarr has none.
std::string data_type(const std::string &kind, std::int64_t bytes);
/// Whether Zarr's type, or "", may be that of elements of `extent` bytes.
bool is_data_type(const std::string &type, std::int64_t extent);

}
