// SPDX-License-Identifier: BSD-3-Clause
// Where the record of one process lies: a file that is mapped, so that others can read it while the process counts and
// after it died; docs/formats/monitor.md has its layout.
//
// Blocks are added at the end and never move or go. Space is had from the system before it is used: where there is no
// more, place() says so, and no store ever meets a page that a full disk cannot give.
#pragma once

#include "base/error.hpp"
#include "record/cell.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <string_view>

namespace nereus::monitor {

/// First in the file. Strings end with a zero.
struct ArenaHead {
    static constexpr std::array<char, 8> right_magic{'n', 'e', 'r', 'e', 'u', 's', 'm', '1'};

    std::array<char, 8> magic = right_magic;
    std::atomic<std::uint64_t> used{0}; ///< bytes from the begin of the file to the end of the last block
    double started = 0;                 ///< seconds since 1970; window 0 begins here, in all processes of the world
    double window_seconds = 1;
    std::int32_t rank = 0;
    std::int32_t ranks = 0;
    std::int32_t process = 0;         ///< as the system numbers it
    std::atomic<std::int32_t> end{0}; ///< enum class End
    Counter lost;                     ///< messages that were not recorded since there was no room for their cell
    std::array<char, 40> world{};     ///< random name of the MPI_COMM_WORLD
    std::array<char, 64> host{};
};

enum class End : std::int32_t { not_yet, finalized, aborted };

/// A line of the record as it will be in the file: what is written once, like the members of a communicator.
struct Line {
    static constexpr std::uint32_t type = 2;
    BlockHead head;
    // the text follows, up to the end of the block, with zeros behind it
};

class Arena {
public:
    static constexpr std::size_t most_bytes = std::size_t{1} << 30;

    /// A new file at `path`, which must not be there; memory of this process alone where `path` is empty.
    /// NEREUS_ERR_MEMORY where the system has no room for it.
    static Result<Arena> make(const std::string &path, std::size_t most = most_bytes);
    /// The arena of another process, to be read. NEREUS_ERR_ARGUMENT where the file is none.
    static Result<Arena> open(const std::string &path);

    Arena() = default;
    Arena(Arena &&other) noexcept;
    Arena &operator=(Arena &&other) noexcept;
    ~Arena();

    bool is_open() const { return base_ != nullptr; }
    ArenaHead &head() { return *static_cast<ArenaHead *>(base_); }
    const ArenaHead &head() const { return *static_cast<const ArenaHead *>(base_); }

    /// A new T of `bytes` with its head complete; nullptr where there is no room. Threads may call it at once.
    template <class T, class... Arguments> T *place(std::size_t bytes, Arguments &&...arguments) {
        void *room = reserve(bytes);
        if (!room) return nullptr;
        T *made = new (room) T(std::forward<Arguments>(arguments)...);
        made->head.bytes = static_cast<std::uint32_t>(rounded(bytes));
        return made;
    }
    /// From here on readers see the block.
    template <class T> static void publish(T &block) { block.head.type.store(T::type, std::memory_order_release); }

    bool place_line(std::string_view text);

    /// Calls `f(const T &)` for each published block of the type, in the order in which they were placed.
    template <class T, class F> void each(F f) const {
        for (std::size_t at = first_block; at < end();) {
            const auto *head = reinterpret_cast<const BlockHead *>(byte(at));
            const std::uint32_t type = head->type.load(std::memory_order_acquire);
            if (head->bytes == 0 || head->bytes % alignment != 0 || at + head->bytes > end())
                return; // broken off, damaged, or not yet there
            if (type == T::type && head->bytes >= sizeof(T)) f(*reinterpret_cast<const T *>(byte(at)));
            at += head->bytes;
        }
    }

    static std::string_view text(const Line &line);

    /// Where a block lies: multiples of 64 bytes from the begin of the file.
    std::uint32_t place_of(const Cell &cell) const {
        return static_cast<std::uint32_t>((reinterpret_cast<const std::byte *>(&cell) - byte(0)) / alignment);
    }
    /// nullptr where no published cell can be.
    const Cell *cell_at(std::uint32_t place) const;

private:
    static constexpr std::size_t first_block = 512;
    static constexpr std::size_t alignment = 64;
    static std::size_t rounded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

    const std::byte *byte(std::size_t at) const { return static_cast<const std::byte *>(base_) + at; }
    std::size_t end() const;
    void *reserve(std::size_t bytes);
    bool grow_to(std::size_t bytes);

    void *base_ = nullptr;
    std::size_t mapped_ = 0; ///< bytes of address space
    std::size_t backed_ = 0; ///< bytes that the system gave
    int descriptor_ = -1;    ///< -1: memory of this process, or opened to be read
    std::unique_ptr<std::mutex> guard_ = std::make_unique<std::mutex>();
};
static_assert(sizeof(ArenaHead) <= 512);

}
