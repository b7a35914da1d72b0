// SPDX-License-Identifier: BSD-3-Clause
#include "memory/segment.hpp"

#include "memory/room.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

namespace nereus::memory {
namespace {

constexpr int how_to_collapse = 25; // MADV_COLLAPSE: Linux 6.1 and later, absent from older headers

std::int64_t page_below(std::int64_t offset) { return offset / file_length(1) * file_length(1); }
std::int64_t page_above(std::int64_t offset) { return page_below(offset + file_length(1) - 1); }

std::string in_quotes(const std::string &array) { return "\"" + array + "\""; }

/// For kernels before 5.14. Another process may be writing: reading alone changes nothing.
void read_one_byte_of_each_page(const std::byte *first, std::int64_t length) {
    for (std::int64_t offset = 0; offset < length; offset += file_length(1))
        static_cast<void>(*static_cast<const volatile std::byte *>(first + offset));
}

/// Reading finds several existing pages at once where writing finds one, and what was read can be written without a
/// fault: Linux does not wait for the first write to a page of shared memory.
bool populate(std::byte *first, std::int64_t length) {
    if (madvise(first, static_cast<std::size_t>(length), MADV_POPULATE_READ) == 0) return true;
    if (errno != EINVAL) return false;
    read_one_byte_of_each_page(first, length);
    return true;
}

bool is_empty(const Descriptor &file, std::int64_t first, std::int64_t length) {
    const off_t data = lseek(file.number(), first, SEEK_DATA);
    return data < 0 ? errno == ENXIO : data >= first + length;
}

/// Makes a huge page of `length` zeros, for all processes. The kernel wants a page to be there, around which it makes
/// the others; it does so at our wish also where it gives no huge pages of shared memory by itself. False: it
/// does not, or no huge page is free; then there is just the one page.
bool make_huge(std::byte *first, std::int64_t length) {
    return populate(first, 1) && madvise(first, static_cast<std::size_t>(length), how_to_collapse) == 0;
}

}

Result<Segment> Segment::create(const Wanted &wanted) {
    if (wanted.bytes < 0 || wanted.bytes > longest_array)
        return failed(NEREUS_ERR_MEMORY, "no shared memory of " + std::to_string(wanted.bytes) + " B for " +
                                             in_quotes(wanted.array) + ": allowed is 0 .. 2^47");
    auto file = wanted.kind == Kind::named ? make_named(wanted.array, wanted.bytes, wanted.key)
                                           : make_anonymous(wanted.array, wanted.bytes);
    if (!file) return tl::unexpected(file.error());
    return mapped(std::move(*file), wanted.array, wanted.bytes);
}

Result<Segment> Segment::open(const Handle &handle) {
    auto descriptor = open_file(handle);
    if (!descriptor) return tl::unexpected(descriptor.error());
    return mapped({std::move(*descriptor), FileName(handle.path, false)}, handle.array, handle.bytes);
}

Result<Segment> Segment::mapped(File file, const std::string &array, std::int64_t bytes) {
    Mapping mapping(file.descriptor.number(), file_length(bytes));
    if (!mapping.is_there())
        return failed(NEREUS_ERR_MEMORY, "no addresses for the " + std::to_string(bytes) + " B of " + in_quotes(array) +
                                             ": mmap: " + std::strerror(errno));
    struct stat is{};
    if (fstat(file.descriptor.number(), &is) != 0)
        return failed(NEREUS_ERR_MEMORY,
                      "the shared memory of " + in_quotes(array) + ": fstat: " + std::strerror(errno));
    // Where the system has no huge pages for shared memory, or does not want them, this has no effect.
    madvise(mapping.first(), mapping.length(), MADV_HUGEPAGE);
    Segment segment;
    segment.mapping_ = std::move(mapping);
    segment.file_ = std::move(file);
    segment.identity_ = {array, bytes, 0, -1, is.st_ino, is.st_dev, ""};
    return segment;
}

Handle Segment::handle() const {
    Handle handle = identity_;
    handle.pid = getpid();
    handle.descriptor = file_.descriptor.number();
    handle.path = file_.name.path();
    return handle;
}

bool Segment::can_be_opened_by_others() const {
    // A process always sees itself, also where it is hidden from those of its own user.
    if (prctl(PR_GET_DUMPABLE) != 1) return false;
    Handle through_proc = handle();
    through_proc.path.clear();
    return open_file(through_proc).has_value();
}

Done Segment::check_range(std::int64_t first, std::int64_t end) const {
    if (0 <= first && first <= end && end <= bytes()) return {};
    return failed(NEREUS_ERR_ARGUMENT, "bytes " + std::to_string(first) + " .. " + std::to_string(end) + " of " +
                                           in_quotes(identity_.array) + ", which has " + std::to_string(bytes()) +
                                           " B");
}

Done Segment::give_back(std::int64_t first, std::int64_t end) {
    if (auto done = check_range(first, end); !done) return done;
    const std::int64_t from = page_above(first);
    // Behind the array's end is nobody's data.
    const std::int64_t to = end == bytes() ? page_above(end) : page_below(end);
    if (from >= to) return {};
    const int how = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
    if (TEMP_FAILURE_RETRY(fallocate(file_.descriptor.number(), how, from, to - from)) == 0) return {};
    return failed(NEREUS_ERR_MEMORY, "memory of " + in_quotes(identity_.array) +
                                         " cannot be given back: fallocate: " + std::strerror(errno));
}

// By huge pages, not all at once: a process that changes its mappings, as malloc() does, waits while another of its
// threads makes pages.
Done Segment::touch(std::int64_t first, std::int64_t end, Pages pages) {
    if (auto done = check_range(first, end); !done || first == end) return done;
    const std::int64_t last = page_above(end);
    for (std::int64_t from = page_below(first), to = 0; from < last; from = to) {
        to = std::min((from / huge_page + 1) * huge_page, last);
        if (!touch_one(from, to - from, pages))
            return failed(NEREUS_ERR_MEMORY, "no memory for bytes " + std::to_string(from) + " .. " +
                                                 std::to_string(end) + " of " + in_quotes(identity_.array) +
                                                 ": madvise: " + std::strerror(errno));
    }
    return {};
}

// Where pages are, others use them: to join them to a huge one would cost more than finding them.
bool Segment::touch_one(std::int64_t first, std::int64_t length, Pages pages) {
    const bool huge = pages == Pages::huge && length == huge_page && is_empty(file_.descriptor, first, length);
    return (huge && make_huge(at(first), length)) || populate(at(first), length);
}

std::int64_t Segment::resident_bytes() const {
    constexpr std::int64_t block = 512; // the unit of st_blocks, whatever the file system's own is (inode(7))
    struct stat is{};
    return fstat(file_.descriptor.number(), &is) == 0 ? is.st_blocks * block : 0;
}

Done Segment::check_room(std::int64_t bytes) const {
    if (auto done = check_memory(in_quotes(identity_.array), bytes); !done || file_.name.path().empty()) return done;
    struct statvfs system{};
    // A file system of size 0 has no limit.
    if (fstatvfs(file_.descriptor.number(), &system) != 0 || system.f_blocks == 0) return {};
    const auto free = static_cast<std::int64_t>(system.f_bavail * system.f_frsize);
    if (bytes <= free + resident_bytes()) return {};
    return failed(NEREUS_ERR_MEMORY, in_quotes(identity_.array) + " needs " + std::to_string(bytes) +
                                         " B on this host; " + folder_of_named_files + " has " + std::to_string(free) +
                                         " B free: make it larger (in a container: --shm-size)");
}

void leave_to_mpi(const std::shared_ptr<Segment> &segment) {
    if (segment) [[maybe_unused]]
        const auto *for_ever = new std::shared_ptr(segment);
}

}
