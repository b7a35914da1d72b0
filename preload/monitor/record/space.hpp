// SPDX-License-Identifier: BSD-3-Clause
// Space in a file before it is used: a store to a mapped page that a full disk cannot give would end the program.
#pragma once

#include <cstddef>

namespace nereus::monitor {

/// Whether the file has `bytes` from `at` on. Never by a signal: where a limit forbids the length (RLIMIT_FSIZE), it
/// has not. errno says why not.
bool had_from_system(int descriptor, std::size_t at, std::size_t bytes);

}
