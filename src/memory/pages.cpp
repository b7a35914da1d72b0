// SPDX-License-Identifier: BSD-3-Clause
// Intel MPI replaces mremap() by a function of its own, which drops the new address and returns NULL: pages are then
// gone from both places. So the kernel is called directly, the address that it returns is compared with the one that
// was asked for, and a page is moved for trial before any data is.
#include "memory/pages.hpp"

#include "base/flush_stderr.h"
#include "base/printable.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace nereus::memory {
namespace {

constexpr int protection = PROT_READ | PROT_WRITE;
constexpr int anonymous = MAP_PRIVATE | MAP_ANONYMOUS;

/// Fresh pages at an address at which pages of ours lie, or lay.
void map_anew(void *place, std::size_t bytes) {
    if (mmap(place, bytes, protection, anonymous | MAP_FIXED, -1, 0) == place) return;
    // Without memory at `place` there is neither the old nor the new part.
    const std::string why = std::strerror(errno);
    print_line("nereus", "memory that was lost in moving pages cannot be mapped anew: mmap: " + why + "; the job ends");
    flush_stderr_to_reader();
    std::abort();
}

/// The source stays mapped, with fresh pages: somebody else's could come into a hole before the block is given back.
bool move_pages(std::byte *from, std::byte *to, std::size_t bytes) {
    constexpr long how = MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP;
    const long came_to = syscall(SYS_mremap, from, bytes, bytes, how, to);
    if (came_to == reinterpret_cast<long>(to)) return true;
    map_anew(to, bytes); // the kernel may have unmapped it before it found that it cannot move
    if (came_to == -1 || came_to == 0) return false;
    auto *const elsewhere = reinterpret_cast<std::byte *>(came_to);
    std::memcpy(to, elsewhere, bytes);
    munmap(elsewhere, bytes);
    return true;
}

bool is_all(const std::byte *first, std::size_t bytes, std::byte value) {
    return std::all_of(first, first + bytes, [value](std::byte one) { return one == value; });
}

/// Whether a page with known bytes arrives, and leaves fresh bytes behind.
bool trial_succeeds() {
    const std::size_t page = page_size();
    void *const pages = mmap(nullptr, 2 * page, protection, anonymous, -1, 0);
    if (pages == MAP_FAILED) return false;
    auto *const from = static_cast<std::byte *>(pages), *const to = from + page;
    constexpr std::byte sample{0xa5}, other{0x5a};
    std::fill_n(from, page, sample);
    std::fill_n(to, page, other);
    const bool moved = move_pages(from, to, page);
    const bool arrived = is_all(to, page, sample), left_fresh = is_all(from, page, std::byte{0});
    munmap(pages, 2 * page);
    return moved && arrived && left_fresh;
}

bool pages_can_move() {
    static const bool can = trial_succeeds();
    return can;
}

}

std::size_t page_size() {
    static const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return size;
}

void move_or_copy_pages(std::byte *from, std::byte *to, std::size_t bytes) {
    if (!pages_can_move() || !move_pages(from, to, bytes)) std::memcpy(to, from, bytes);
}

}
