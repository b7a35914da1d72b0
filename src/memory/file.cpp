// SPDX-License-Identifier: BSD-3-Clause
#include "memory/file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>

namespace nereus::memory {
namespace {

// Linux 6.3 and later; the headers of older systems do not have it.
constexpr unsigned never_executed = 0x0008U;
constexpr std::size_t longest_memory_name = 249; // memfd_create(2)

tl::unexpected<Error> no_file(const std::string &array, std::int64_t bytes, const std::string &why) {
    return failed(NEREUS_ERR_MEMORY,
                  "no shared memory of " + std::to_string(bytes) + " B for \"" + array + "\": " + why);
}

tl::unexpected<Error> cannot_open(const Handle &handle, const std::string &why) {
    return failed(NEREUS_ERR_MEMORY, "the shared memory of \"" + handle.array + "\" cannot be opened: " + why);
}

std::string with_reason(const std::string &what) { return what + ": " + std::strerror(errno); }

/// Kernels before 6.3 do not know the flag and would refuse all.
Descriptor memory_file(const std::string &name) {
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
    Descriptor file(memfd_create(name.c_str(), flags | never_executed));
    return file.is_open() || errno != EINVAL ? std::move(file) : Descriptor(memfd_create(name.c_str(), flags));
}

/// Beyond the limit of this process the system would answer with a signal that ends it.
bool within_limit(std::int64_t bytes) {
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || static_cast<rlim_t>(bytes) <= limit.rlim_cur;
}

Done set_length(const std::string &array, const Descriptor &file, std::int64_t bytes) {
    const std::int64_t length = file_length(bytes);
    if (!within_limit(length)) return no_file(array, bytes, "the limit of file sizes is below that (ulimit -f)");
    if (ftruncate(file.number(), length) != 0) return no_file(array, bytes, with_reason("ftruncate"));
    return {};
}

bool is_key(std::string_view key) {
    const auto allowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
    return !key.empty() && key.size() <= 100 && key.find_first_not_of(allowed) == std::string_view::npos;
}

/// "" where the system gives no random numbers.
std::string random_digits() {
    std::uint64_t number = 0;
    if (getrandom(&number, sizeof number, 0) != sizeof number) return "";
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(number));
    return text.data();
}

/// The file as a place to look at: opening in this way reads nothing and has no effect, whatever is there by now.
Descriptor place_of(const std::string &path, bool named) {
    return Descriptor(open(path.c_str(), O_PATH | O_CLOEXEC | (named ? O_NOFOLLOW : 0)));
}

std::string path_of(const Handle &handle) {
    if (!handle.path.empty()) return handle.path;
    return "/proc/" + std::to_string(handle.pid) + "/fd/" + std::to_string(handle.descriptor);
}

/// Why `is` cannot be the file of `handle`; "" where it is.
std::string difference(const Handle &handle, const struct stat &is) {
    const auto differs = [](const char *what, auto here, auto there) {
        return std::string("its ") + what + " is " + std::to_string(here) + " and should be " + std::to_string(there);
    };
    if (is.st_dev != handle.device) return differs("device", is.st_dev, handle.device);
    if (is.st_ino != handle.inode) return differs("inode", is.st_ino, handle.inode);
    if (is.st_size != file_length(handle.bytes)) return differs("length", is.st_size, file_length(handle.bytes));
    return "";
}

}

std::int64_t file_length(std::int64_t bytes) {
    static const std::int64_t page = sysconf(_SC_PAGESIZE);
    return std::max<std::int64_t>((bytes + page - 1) / page, 1) * page;
}

Result<File> make_anonymous(const std::string &array, std::int64_t bytes) {
    Descriptor file = memory_file(("nereus " + array).substr(0, longest_memory_name));
    if (!file.is_open()) return no_file(array, bytes, with_reason("memfd_create"));
    if (auto done = set_length(array, file, bytes); !done) return tl::unexpected(done.error());
    if (fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        return no_file(array, bytes, with_reason("F_ADD_SEALS"));
    return File{std::move(file), {}};
}

Result<File> make_named(const std::string &array, std::int64_t bytes, const std::string &key) {
    if (!is_key(key)) return no_file(array, bytes, "the key \"" + key + "\" cannot be part of a file's name");
    const std::string random = random_digits();
    if (random.empty()) return no_file(array, bytes, with_reason("getrandom"));
    const std::string path = std::string(folder_of_named_files) + "/nereus-" + key + "-" + random;
    Descriptor file(open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!file.is_open()) return no_file(array, bytes, with_reason(path));
    FileName name(path, true);
    if (auto done = set_length(array, file, bytes); !done) return tl::unexpected(done.error());
    return File{std::move(file), std::move(name)};
}

Result<Descriptor> open_file(const Handle &handle) {
    const std::string path = path_of(handle);
    const Descriptor place = place_of(path, !handle.path.empty());
    if (!place.is_open()) return cannot_open(handle, with_reason(path));
    struct stat is{};
    if (fstat(place.number(), &is) != 0) return cannot_open(handle, with_reason(path));
    if (const auto why = difference(handle, is); !why.empty())
        return cannot_open(handle, path + " is another file by now: " + why);
    const std::string same = "/proc/self/fd/" + std::to_string(place.number());
    Descriptor file(open(same.c_str(), O_RDWR | O_CLOEXEC));
    if (!file.is_open()) return cannot_open(handle, with_reason(path));
    return file;
}

}
