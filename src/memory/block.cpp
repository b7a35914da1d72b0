// SPDX-License-Identifier: BSD-3-Clause
#include "memory/block.hpp"

#include "memory/mapping.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace nereus::memory {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge = static_cast<std::size_t>(huge_page);

/// Right before each block.
struct Head {
    void *first;        ///< of the mapping, or of what malloc() gave
    std::size_t length; ///< of the mapping; 0: it is of malloc()
};
static_assert(sizeof(Head) <= cache_line);

Head &head_of(void *block) { return *reinterpret_cast<Head *>(static_cast<std::byte *>(block) - cache_line); }

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

std::size_t address(const void *place) { return reinterpret_cast<std::uintptr_t>(place); }

void *with_head(std::byte *block, const Head &head) {
    head_of(block) = head;
    return block;
}

void *take_small(std::size_t bytes) {
    const std::size_t lines = (bytes + cache_line - 1) / cache_line + 1;
    auto *const first = static_cast<std::byte *>(std::aligned_alloc(cache_line, lines * cache_line));
    return first == nullptr ? nullptr : with_head(first + cache_line, {first, 0});
}

/// Pages move as fast as one entry of a table each: by huge pages, where both sides begin alike in them.
std::size_t alignment_of(std::size_t bytes) { return bytes >= 2 * huge ? huge : page_size(); }

void *take_mapped(const void *place, std::size_t at, std::size_t bytes) {
    const std::size_t border = alignment_of(bytes), length = bytes + border + cache_line;
    void *const mapping = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping == MAP_FAILED) return nullptr;
    if (border == huge) madvise(mapping, length, MADV_HUGEPAGE); // an answer "no" changes nothing
    auto *const first = static_cast<std::byte *>(mapping) + cache_line;
    return with_head(first + (address(place) - at - address(first)) % border, {mapping, length});
}

/// Before Linux 6.17 the pages of one mapping at a time only, and a part that got pages before has several.
void move_pages(std::byte *from, std::byte *to, std::size_t bytes) {
    if (mremap(from, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED) return;
    // The kernel may have unmapped the goal before it found that it cannot move.
    mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (bytes <= least_mapped) {
        std::memcpy(to, from, bytes);
        return;
    }
    const std::size_t half = bytes / 2 / page_size() * page_size();
    move_pages(from, to, half);
    move_pages(from + half, to + half, bytes - half);
}

}

void *take_block(std::size_t bytes) { return take_block_like(nullptr, 0, bytes); }

void *take_block_like(const void *place, std::size_t at, std::size_t bytes) {
    if (bytes > PTRDIFF_MAX - 2 * huge) return nullptr; // lengths would wrap around
    return bytes < least_mapped ? take_small(bytes) : take_mapped(place, at, bytes);
}

void give_back_block(void *block) {
    if (block == nullptr) return;
    const Head head = head_of(block);
    if (head.length == 0)
        std::free(head.first);
    else
        munmap(head.first, head.length);
}

void hand_over(std::byte *from, std::byte *to, std::size_t bytes) {
    const std::size_t page = page_size(), before = std::min(bytes, (page - address(from) % page) % page);
    const std::size_t whole = (bytes - before) / page * page, after = bytes - before - whole;
    if (address(from) % page != address(to) % page || whole < least_mapped) {
        std::memcpy(to, from, bytes);
        return;
    }
    std::memcpy(to, from, before);
    std::memcpy(to + before + whole, from + before + whole, after);
    move_pages(from + before, to + before, whole);
}

}
