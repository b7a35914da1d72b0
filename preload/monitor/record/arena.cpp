// SPDX-License-Identifier: BSD-3-Clause
#include "record/arena.hpp"

#include "record/space.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace nereus::monitor {
namespace {

constexpr std::size_t least_mapped = std::size_t{1} << 20;

/// Address space for `most` bytes, or for as much of it as a limit on address space leaves.
std::pair<void *, std::size_t> map_up_to(std::size_t most, int descriptor) {
    const int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE : MAP_SHARED | MAP_NORESERVE;
    for (std::size_t bytes = most; bytes >= least_mapped; bytes /= 2) {
        void *base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, descriptor, 0);
        if (base != MAP_FAILED) return {base, bytes};
    }
    return {nullptr, 0};
}

tl::unexpected<Error> unusable(nereus_code code, const std::string &path, const char *what) {
    return failed(code, (path.empty() ? "memory for the record" : path) + ": " + what);
}

}

Result<Arena> Arena::make(const std::string &path, std::size_t most) {
    Arena made;
    if (!path.empty()) {
        made.descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (made.descriptor_ < 0) return unusable(NEREUS_ERR_MEMORY, path, std::strerror(errno));
    }
    std::tie(made.base_, made.mapped_) = map_up_to(most, made.descriptor_);
    if (!made.base_) return unusable(NEREUS_ERR_MEMORY, path, "there is no address space to map it");
    if (!made.grow_to(first_block)) return unusable(NEREUS_ERR_MEMORY, path, std::strerror(errno));
    new (made.base_) ArenaHead;
    made.head().used.store(first_block, std::memory_order_release);
    return made;
}

Result<Arena> Arena::open(const std::string &path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK); // a FIFO is none
    if (descriptor < 0) return unusable(NEREUS_ERR_ARGUMENT, path, std::strerror(errno));
    struct stat facts{};
    ::fstat(descriptor, &facts);
    Arena opened;
    opened.mapped_ = opened.backed_ = static_cast<std::size_t>(facts.st_size);
    void *base = opened.mapped_ < first_block ? MAP_FAILED
                                              : ::mmap(nullptr, opened.mapped_, PROT_READ, MAP_SHARED, descriptor, 0);
    ::close(descriptor);
    if (base == MAP_FAILED) return unusable(NEREUS_ERR_ARGUMENT, path, "too short for the record of a process");
    opened.base_ = base;
    if (opened.head().magic != ArenaHead::right_magic)
        return unusable(NEREUS_ERR_ARGUMENT, path, "not the record of a process");
    return opened;
}

Arena::Arena(Arena &&other) noexcept { *this = std::move(other); }

Arena &Arena::operator=(Arena &&other) noexcept {
    std::swap(base_, other.base_);
    std::swap(mapped_, other.mapped_);
    std::swap(backed_, other.backed_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(guard_, other.guard_);
    return *this;
}

Arena::~Arena() {
    if (base_) ::munmap(base_, mapped_);
    if (descriptor_ >= 0) ::close(descriptor_);
}

std::size_t Arena::end() const { return std::min<std::size_t>(head().used.load(std::memory_order_acquire), backed_); }

void *Arena::reserve(std::size_t bytes) {
    const std::lock_guard lock(*guard_);
    const std::size_t at = head().used.load(std::memory_order_relaxed);
    const std::size_t after = at + rounded(bytes);
    if (!grow_to(after)) return nullptr;
    // The length is there before the end is: a reader steps over a block that is not complete yet.
    reinterpret_cast<BlockHead *>(static_cast<std::byte *>(base_) + at)->bytes = static_cast<std::uint32_t>(after - at);
    head().used.store(after, std::memory_order_release);
    return static_cast<std::byte *>(base_) + at;
}

bool Arena::grow_to(std::size_t bytes) {
    constexpr std::size_t step = std::size_t{1} << 16;
    if (bytes <= backed_) return true;
    const std::size_t wanted = std::min(mapped_, (bytes + step - 1) / step * step);
    if (bytes > wanted) return false;
    if (descriptor_ >= 0 && !had_from_system(descriptor_, 0, wanted)) return false;
    backed_ = wanted;
    return true;
}

bool Arena::place_line(std::string_view words) {
    Line *line = place<Line>(sizeof(Line) + words.size());
    if (!line) return false;
    std::memcpy(reinterpret_cast<char *>(line) + sizeof(Line), words.data(), words.size());
    publish(*line);
    return true;
}

const Cell *Arena::cell_at(std::uint32_t place) const {
    const std::size_t at = std::size_t{place} * alignment;
    if (at < first_block || at + sizeof(Cell) > end()) return nullptr;
    const auto *cell = reinterpret_cast<const Cell *>(byte(at));
    return cell->head.type.load(std::memory_order_acquire) == Cell::type ? cell : nullptr;
}

std::string_view Arena::text(const Line &line) {
    const char *begin = reinterpret_cast<const char *>(&line) + sizeof(Line);
    const std::size_t room = line.head.bytes - sizeof(Line);
    return {begin, ::strnlen(begin, room)};
}

}
