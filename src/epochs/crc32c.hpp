// SPDX-License-Identifier: BSD-3-Clause
// CRC-32C (RFC 3720, section 12.1), which Zarr's codec `crc32c` keeps behind each chunk.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nereus::epochs {

/// Of bytes that follow others, whose checksum is `before`; 0 where there are none.
std::uint32_t crc32c(const std::byte *bytes, std::size_t count, std::uint32_t before = 0);

std::uint32_t crc32c_of_zeros(std::uint64_t count);

/// Of two pieces in a row, from the checksum of each.
std::uint32_t joined_crc32c(std::uint32_t first, std::uint32_t second, std::uint64_t bytes_of_second);

}
