// SPDX-License-Identifier: BSD-3-Clause
// What an epoch needs of a file system, and no more: so that tests can have each call of it fail.
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace nereus::epochs {

using Path = std::filesystem::path;

/// An open file. Errors name the file and the cause.
class File {
public:
    virtual ~File() = default;
    virtual Done write_at(std::int64_t place, const std::byte *bytes, std::size_t count) = 0;
    /// NEREUS_ERR_MISMATCH where the file ends before.
    virtual Done read_at(std::int64_t place, std::byte *bytes, std::size_t count) = 0;
    /// What was written is on the disk when this returns.
    virtual Done sync() = 0;
    virtual Result<std::int64_t> length() = 0;
};

class Files {
public:
    virtual ~Files() = default;
    /// Several processes may write one file; it is made where it is missing.
    virtual Result<std::unique_ptr<File>> open_to_write(const Path &path) = 0;
    virtual Result<std::unique_ptr<File>> open_to_read(const Path &path) = 0;
    virtual bool exists(const Path &path) = 0;
    /// With all above it; one that is there is fine.
    virtual Done make_folder(const Path &path) = 0;
    /// Names of files and folders that were made or renamed in it are on the disk when this returns.
    virtual Done sync_folder(const Path &path) = 0;
    virtual Done rename(const Path &from, const Path &to) = 0;
    /// One file gets a second name.
    virtual Done link(const Path &file, const Path &name) = 0;
    /// With all that is in it; what is not there is fine.
    virtual Done remove_all(const Path &path) = 0;
    /// What is in a folder, sorted; nothing where there is no such folder.
    virtual Result<std::vector<std::string>> names_in(const Path &folder) = 0;
};

/// Those of the system.
Files &disk();

/// A whole file of at most `most` bytes.
Result<std::string> read_text(Files &files, const Path &path, std::int64_t most);
/// Writes it and waits until it is on the disk.
Done write_text(Files &files, const Path &path, const std::string &text);

}
