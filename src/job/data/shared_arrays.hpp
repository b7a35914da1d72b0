// SPDX-License-Identifier: BSD-3-Clause
// Arrays in shared memory: which process makes the file of an array on a host, and how others come to it.
#pragma once

#include "job/data/array_redistribution.hpp"
#include "job/data/registry.hpp"
#include "job/state/generation.hpp"

#include <nlohmann/json.hpp>

namespace nereus::job {

/// Collective over the present processes: the file of one array on this host. The first rank here makes it.
/// NEREUS_ERR_MEMORY where what the processes here get by `cut` can never fit on this host.
Result<std::shared_ptr<memory::Segment>> share_segment(const Generation &now, const Description &is,
                                                       const plan::Distribution &cut, const Settings &settings);

/// Whether the parts of such an array, in the library's own memory, may lie in shared memory: they lie in a row there,
/// and no two processes hold the same.
bool can_be_shared(const Description &is);

/// Collective: zeroed memory for the part of a founder or of a present process, shared where `entry` says so.
Done take_part(const Generation &now, const Settings &settings, Entry &entry);

/// The part of a founder of an array that is in a file already. NEREUS_ERR_MEMORY where it cannot be opened.
Done take_part_of(const memory::Handle &handle, const Generation &now, Entry &entry);

/// What this process has of such an array, but for a halo, from another file that has its elements.
Done fill_from(const memory::Handle &copy, const Generation &now, Entry &entry);

/// Collective over the founders: settles the setting `memory`, which is not `auto` any more then, and whether files
/// need names. NEREUS_ERR_UNSUPPORTED where shared memory was asked for and does not work.
Done settle_memory(const Generation &now, Settings &settings);

/// How newcomers come to the files of shared arrays: `{host: [null or handle of each entry]}`.
using Handles = nlohmann::json;

/// Whether this host can ever hold what its processes will have: touching more would end one of them by a signal.
Done check_room(const Registry &registry, const Sides &sides);

/// By entry; null for those that do not lie in shared memory.
using Segments = std::vector<std::shared_ptr<memory::Segment>>;

Segments segments_of(const Registry &registry);

/// Null for those that are.
nlohmann::json handles_of(const Segments &segments);

/// By a handle that is none of null.
Result<std::shared_ptr<memory::Segment>> opened_segment(const nlohmann::json &handle);

/// What this process has of an array, but for a halo, in bytes.
plan::Range own_bytes(const Generation &now, const Entry &entry);

/// Collective over the sources: what the first source on each host has. On rank 0.
Result<Handles> handles_of_sources(MPI_Comm sources, const std::vector<std::string> &hosts, const Registry &registry);

/// A newcomer's files where there are sources on its host; else the first newcomer here makes them. NEREUS_ERR_MEMORY
/// where what the processes here will have can never fit on this host.
/// @return what this newcomer made, for the others on its host; null when it made nothing
Result<Handles> come_to_segments(Registry &registry, const Sides &sides, const Handles &handles,
                                 const std::string &key);

/// The rest, with the handles of what other newcomers made.
Done come_to_new_segments(Registry &registry, const Sides &sides, const Handles &handles);

}
