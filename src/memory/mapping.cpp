// SPDX-License-Identifier: BSD-3-Clause
#include "memory/mapping.hpp"

#include <cerrno>

namespace nereus::memory {
namespace {

/// Bytes from `address` up to the next border of huge pages.
std::size_t before_border(const void *address) {
    constexpr auto border = static_cast<std::uintptr_t>(huge_page);
    return (border - reinterpret_cast<std::uintptr_t>(address) % border) % border;
}

}

// Kernels choose such an address by themselves only when they give huge pages without being asked: more addresses than
// needed are taken, and what is left over on both sides is freed.
Mapping::Mapping(int descriptor, std::int64_t length) : length_(static_cast<std::size_t>(length)) {
    constexpr auto spare = static_cast<std::size_t>(huge_page);
    void *const taken = mmap(nullptr, length_ + spare, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (taken == MAP_FAILED) return;
    const std::size_t before = before_border(taken);
    std::byte *const first = static_cast<std::byte *>(taken) + before;
    address_ = mmap(first, length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, descriptor, 0);
    if (address_ != first) {
        const int why = address_ == MAP_FAILED ? errno : ENOMEM;
        if (address_ != MAP_FAILED) munmap(address_, length_); // a hook of mmap() put it elsewhere
        address_ = MAP_FAILED;
        munmap(taken, length_ + spare);
        errno = why;
        return;
    }
    if (before > 0) munmap(taken, before);
    if (before < spare) munmap(first + length_, spare - before);
}

}
