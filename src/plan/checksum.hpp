// SPDX-License-Identifier: BSD-3-Clause
// A checksum that does not depend on how an array is cut: the sum over parts is that of the whole.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nereus::plan {

/// Sum over words of a mixture of content and place; words have 8 bytes where `extent` is a multiple of 8, else 1.
///
/// @param bytes   length of data, a multiple of `extent`
/// @param first   place of data[0] in the global array, in bytes, a multiple of `extent`
/// @param extent  bytes of an element
std::uint64_t checksum(const std::byte *data, std::int64_t bytes, std::int64_t first, std::int64_t extent);

}
