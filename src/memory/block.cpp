// SPDX-License-Identifier: BSD-3-Clause
#include "memory/block.hpp"

#include "memory/mapping.hpp"
#include "memory/pages.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace nereus::memory {
namespace {

constexpr std::size_t cache_line = 64;
constexpr std::size_t huge = static_cast<std::size_t>(huge_page);

/// Right before each block.
struct Head {
    void *first;        ///< of the mapping, or of what malloc() gave
    std::size_t length; ///< of the mapping; 0: it is of malloc()
};
static_assert(sizeof(Head) + alignof(Head) <= cache_line);

std::size_t address(const void *place) { return reinterpret_cast<std::uintptr_t>(place); }

/// Blocks that take over pages begin where the pages have it so.
Head &head_of(void *block) {
    auto *const line = static_cast<std::byte *>(block) - cache_line;
    return *reinterpret_cast<Head *>(line + (alignof(Head) - address(line) % alignof(Head)) % alignof(Head));
}

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

/// Where mappings end from `first` on, `end` the last. A part that took over pages lies in several, and Linux
/// before 6.17 moves pages of one at a time.
std::vector<std::size_t> ends_of_mappings(std::size_t first, std::size_t end) {
    std::vector<std::size_t> ends;
    std::ifstream mappings("/proc/self/maps");
    for (std::string line; std::getline(mappings, line);) {
        char *dash = nullptr;
        const std::size_t from = std::strtoull(line.c_str(), &dash, 16), to = std::strtoull(dash + 1, nullptr, 16);
        if (from < end && to > first) ends.push_back(std::min(to, end));
    }
    return ends;
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
    const std::size_t whole = (bytes - before) / page * page;
    if (address(from) % page != address(to) % page || whole < least_mapped) {
        std::memcpy(to, from, bytes);
        return;
    }
    std::memcpy(to, from, before);
    std::byte *at = from + before;
    for (const std::size_t end : ends_of_mappings(address(at), address(at) + whole)) {
        const std::size_t length = end - address(at);
        move_or_copy_pages(at, to + (at - from), length);
        at += length;
    }
    std::memcpy(to + (at - from), at, static_cast<std::size_t>(from + bytes - at)); // all, where nothing shows mappings
}

}
