// SPDX-License-Identifier: BSD-3-Clause
// A file's bytes among the addresses of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <utility>

namespace nereus::memory {

/// Where addresses and offsets begin together at multiples of this, a huge page of x86-64 fits.
inline constexpr std::int64_t huge_page = 2 << 20;

class Mapping {
public:
    Mapping() = default;
    /// Takes addresses only: a page is made or found when it is first touched. is_there() says whether it worked, else
    /// errno why not.
    Mapping(int descriptor, std::int64_t length);
    Mapping(Mapping &&other) noexcept
        : address_(std::exchange(other.address_, MAP_FAILED)), length_(std::exchange(other.length_, 0)) {}
    Mapping &operator=(Mapping &&other) noexcept {
        std::swap(address_, other.address_);
        std::swap(length_, other.length_);
        return *this;
    }
    ~Mapping() {
        if (is_there()) munmap(address_, length_);
    }

    bool is_there() const { return address_ != MAP_FAILED; }
    std::byte *first() const { return static_cast<std::byte *>(address_); }
    std::size_t length() const { return length_; }

private:
    void *address_ = MAP_FAILED;
    std::size_t length_ = 0;
};

}
