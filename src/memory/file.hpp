// SPDX-License-Identifier: BSD-3-Clause
// The files in which arrays lie: made, found again by another process of the host, told from others.
#pragma once

#include "base/error.hpp"
#include "memory/descriptor.hpp"
#include "memory/file_name.hpp"
#include "memory/handle.hpp"

#include <string>

namespace nereus::memory {

/// Where named files are; the cleaner of `nereus run` looks there for "nereus-KEY-...".
inline constexpr const char *folder_of_named_files = "/dev/shm";

struct File {
    Descriptor descriptor;
    FileName name; ///< empty for a file without one
};

/// Length of the file of an array of `bytes`: whole pages, and at least one, so that no array is a special case.
std::int64_t file_length(std::int64_t bytes);

/// A file in memory for `bytes` zeros, which is gone with the last process that has it open or mapped. No process can
/// change its length any more.
Result<File> make_anonymous(const std::string &array, std::int64_t bytes);

/// A file for `bytes` zeros, "nereus-KEY-RANDOM" in folder_of_named_files, which only this user may open.
Result<File> make_named(const std::string &array, std::int64_t bytes, const std::string &key);

/// Opens the file of a handle that a process of this host gave. NEREUS_ERR_MEMORY says what differs where it is another
/// file by now.
Result<Descriptor> open_file(const Handle &handle);

}
