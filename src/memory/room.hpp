// SPDX-License-Identifier: BSD-3-Clause
// How much memory the processes of this host may ever have.
#pragma once

#include "base/error.hpp"

#include <cstdint>
#include <string>

namespace nereus::memory {

/// Memory and swap of the host, less what the control groups of this process do not allow; the most that there is
/// where the system does not say. `root` is where /proc and /sys are.
std::int64_t most_memory(const std::string &root = "");

/// NEREUS_ERR_MEMORY where `what` needs more `bytes` than can ever be had here. What others use is not counted: it may
/// be free when it is needed, so a refusal is certain and the absence of one is no promise.
Done check_memory(const std::string &what, std::int64_t bytes, const std::string &root = "");

}
