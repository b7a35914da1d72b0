// SPDX-License-Identifier: BSD-3-Clause
// Registrations and memory: a newcomer's data goes to where the application wants it.
#pragma once

#include "job/data/registry.hpp"

namespace nereus::job {

/// A founder's zeroed part in `entry`'s memory.
Done allocate_zeroed(Entry &entry, std::int64_t count);

/// Gives the part that came with the resize to the application's pointer, in its own memory where it has one.
///
/// @param count  elements of the part
Done bind_array(Entry &entry, std::int64_t count, void **pointer, const nereus_memory *own_memory);

/// Copies the value that came with the resize to the application's.
void bind_value(Entry &entry, void *value);

}
