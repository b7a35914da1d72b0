// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

namespace nereus::pmpi {

/// Names, without MPI_, of all calls that send messages or receive them: made by generate.py from calls.toml.
std::span<const char *const> message_calls();

}
