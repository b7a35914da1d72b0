// SPDX-License-Identifier: BSD-3-Clause
// A file's bytes among the addresses of this process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <sys/mman.h>
#include <utility>

namespace nereus::memory {

class Mapping {
public:
    Mapping() = default;
    /// Takes addresses only: a page is made or found when it is first touched. is_there() says whether it worked, else
    /// errno why not.
    Mapping(int descriptor, std::int64_t length) : length_(static_cast<std::size_t>(length)) {
        address_ = mmap(nullptr, length_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    }
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
