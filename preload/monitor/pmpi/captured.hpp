// SPDX-License-Identifier: BSD-3-Clause
// The times of the calls of the program's main thread, for `nereus capture`: docs/formats/calls.md.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>

namespace nereus::pmpi {

struct CapturePlace {
    std::string folder;
    std::uint64_t most; ///< rows
    std::string world;
    int rank, ranks;
};

/// In the thread whose calls are noted: from now on those that the program makes are, not those of libnereus.
Done begin_captured(const CapturePlace &place);
/// Nothing where it did not begin.
Done end_captured();

}
