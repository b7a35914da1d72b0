// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nereus::epochs {
namespace {

/// Linux writes and reads no more at once.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

tl::unexpected<Error> no_success(const Path &path, const std::string &why) {
    return failed(NEREUS_ERR_STATE, path.string() + ": " + why);
}

tl::unexpected<Error> by_errno(const Path &path) { return no_success(path, std::strerror(errno)); }

Done by_code(const Path &path, const std::error_code &code) {
    if (!code) return {};
    return no_success(path, code.message());
}

class FileOnDisk : public File {
public:
    FileOnDisk(int descriptor, Path path) : descriptor_(descriptor), path_(std::move(path)) {}
    FileOnDisk(const FileOnDisk &) = delete;
    FileOnDisk &operator=(const FileOnDisk &) = delete;
    ~FileOnDisk() override { ::close(descriptor_); }

    Done write_at(std::int64_t place, const std::byte *bytes, std::size_t count) override {
        while (count > 0) {
            const ssize_t written = ::pwrite(descriptor_, bytes, std::min(count, most_at_once), place);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return by_errno(path_);
            bytes += written;
            place += written;
            count -= static_cast<std::size_t>(written);
        }
        return {};
    }

    Done read_at(std::int64_t place, std::byte *bytes, std::size_t count) override {
        while (count > 0) {
            const ssize_t found = ::pread(descriptor_, bytes, std::min(count, most_at_once), place);
            if (found < 0 && errno == EINTR) continue;
            if (found < 0) return by_errno(path_);
            if (found == 0) return failed(NEREUS_ERR_MISMATCH, path_.string() + ": is cut short");
            bytes += found;
            place += found;
            count -= static_cast<std::size_t>(found);
        }
        return {};
    }

    Done sync() override {
        if (::fsync(descriptor_) != 0) return by_errno(path_);
        return {};
    }

    Result<std::int64_t> length() override {
        struct stat is{};
        if (::fstat(descriptor_, &is) != 0) return by_errno(path_);
        if (!S_ISREG(is.st_mode)) return failed(NEREUS_ERR_MISMATCH, path_.string() + ": is no file");
        return is.st_size;
    }

private:
    int descriptor_;
    Path path_;
};

class Disk : public Files {
public:
    Result<std::unique_ptr<File>> open_to_write(const Path &path) override {
        return opened(path, O_WRONLY | O_CREAT | O_CLOEXEC);
    }

    /// What was put there instead of a file, as a pipe, is not waited for.
    Result<std::unique_ptr<File>> open_to_read(const Path &path) override {
        return opened(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }

    bool exists(const Path &path) override {
        std::error_code ignored;
        return std::filesystem::exists(path, ignored);
    }

    Done make_folder(const Path &path) override {
        std::error_code code;
        std::filesystem::create_directories(path, code);
        return by_code(path, code);
    }

    Done sync_folder(const Path &path) override {
        auto folder = opened(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        return folder ? (*folder)->sync() : Done(tl::unexpected(folder.error()));
    }

    Done rename(const Path &from, const Path &to) override {
        std::error_code code;
        std::filesystem::rename(from, to, code);
        return by_code(from, code);
    }

    Done link(const Path &file, const Path &name) override {
        std::error_code code;
        std::filesystem::create_hard_link(file, name, code);
        return by_code(file, code);
    }

    Done remove_all(const Path &path) override {
        std::error_code code;
        std::filesystem::remove_all(path, code);
        return by_code(path, code);
    }

    Result<std::vector<std::string>> names_in(const Path &folder) override {
        std::vector<std::string> names;
        std::error_code code;
        std::filesystem::directory_iterator at(folder, code);
        if (code == std::errc::no_such_file_or_directory) return names;
        for (; !code && at != std::filesystem::directory_iterator(); at.increment(code))
            names.push_back(at->path().filename().string());
        if (auto done = by_code(folder, code); !done) return tl::unexpected(done.error());
        std::ranges::sort(names);
        return names;
    }

private:
    static Result<std::unique_ptr<File>> opened(const Path &path, int flags) {
        const int descriptor = ::open(path.c_str(), flags, 0666);
        if (descriptor < 0) return by_errno(path);
        return std::make_unique<FileOnDisk>(descriptor, path);
    }
};

}

Files &disk() {
    static Disk all;
    return all;
}

Result<std::string> read_text(Files &files, const Path &path, std::int64_t most) {
    auto file = files.open_to_read(path);
    if (!file) return tl::unexpected(file.error());
    auto length = (*file)->length();
    if (!length) return tl::unexpected(length.error());
    if (*length > most)
        return failed(NEREUS_ERR_MISMATCH,
                      path.string() + ": has " + std::to_string(*length) + " B: allowed are " + std::to_string(most));
    std::string text(static_cast<std::size_t>(*length), '\0');
    auto done = (*file)->read_at(0, reinterpret_cast<std::byte *>(text.data()), text.size());
    if (!done) return tl::unexpected(done.error());
    return text;
}

Done write_text(Files &files, const Path &path, const std::string &text) {
    auto file = files.open_to_write(path);
    if (!file) return tl::unexpected(file.error());
    auto done = (*file)->write_at(0, reinterpret_cast<const std::byte *>(text.data()), text.size());
    return done ? (*file)->sync() : done;
}

}
