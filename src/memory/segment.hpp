// SPDX-License-Identifier: BSD-3-Clause
// The bytes of one array that lie on one host: a file in shared memory that all processes of the host map.
//
// A byte lies at the same offset for all: that of its element in the whole array. A process that gets another part of
// the array therefore just uses other offsets; nothing is copied, and pages that were touched before are not made anew.
// Addresses are taken for the whole array and pages for what is touched, so an array may be larger than the host's
// memory. Who may use which bytes when is for others to know: nothing here waits or locks. Knows nothing of MPI, jobs
// or layouts.
#pragma once

#include "memory/file.hpp"
#include "memory/mapping.hpp"

namespace nereus::memory {

inline constexpr std::int64_t longest_array = std::int64_t{1} << 47; // addresses of a process on x86-64

enum class Kind {
    anonymous, ///< in no folder, gone with its last process; opened through /proc of a process that has it
    named      ///< in /dev/shm: where processes do not see one another in /proc
};

/// How touch() makes pages that are not there yet.
enum class Pages {
    small,
    huge ///< where the kernel can: others find them, and they are given back, some hundred times faster. Making them
         ///< takes less than making small ones, or several times as long on a virtual machine whose host has to make
         ///< them too
};

struct Wanted {
    std::string array; ///< name, for messages
    std::int64_t bytes = 0;
    Kind kind = Kind::anonymous;
    std::string key; ///< of a named one, "JOB-NUMBER" with the job's name and the array's number: letters, digits, '-'
};

/// Holds one descriptor. Addresses stay the same as long as it lives, also when it is moved.
class Segment {
public:
    /// All zeros. NEREUS_ERR_MEMORY names the array, its bytes and the cause.
    static Result<Segment> create(const Wanted &wanted);

    /// The one that another process of this host has. NEREUS_ERR_MEMORY when that process or its file is gone, is
    /// another by now, or may not be seen.
    static Result<Segment> open(const Handle &handle);

    /// For processes of this host that come later; holds as long as this process has the segment.
    Handle handle() const;

    /// Whether this process can open its own segment as others would. False: /proc is another one's or hides this
    /// process, and a named one is needed. What is true here may still fail for others: their open() says so.
    bool can_be_opened_by_others() const;

    std::int64_t bytes() const { return identity_.bytes; }

    /// Byte `offset` of the array, 0 .. bytes().
    std::byte *at(std::int64_t offset) const { return mapping_.first() + offset; }

    /// Gives the memory of bytes [first, end) back to the system, for all processes: they are zeros after that. Pages
    /// that are only partly inside stay as they are.
    Done give_back(std::int64_t first, std::int64_t end);

    /// Makes sure that touching bytes [first, end) for the first time costs nothing later; changes none, so that it may
    /// run beside processes that use them. NEREUS_ERR_MEMORY where pages cannot be had, in place of the signal that
    /// ends a process.
    Done touch(std::int64_t first, std::int64_t end, Pages pages = Pages::small);

    /// Memory that the segment takes on this host, of all processes together.
    std::int64_t resident_bytes() const;

    /// NEREUS_ERR_MEMORY where this host can never hold `bytes` of the array. Touching more than there is ends a
    /// process by a signal, as with any memory; asking the system for all pages beforehand would cost what first
    /// touches cost.
    Done check_room(std::int64_t bytes) const;

    /// Removes the name of a named one: who has it open keeps it, nobody can open it by its name any more.
    void remove_name() { file_.name.remove(); }

    /// Whether the name goes with this object: true after create(), false after open(). A process that leaves before
    /// others hands it on so.
    void set_removes_name(bool removes) { file_.name.set_ours(removes); }

private:
    static Result<Segment> mapped(File file, const std::string &array, std::int64_t bytes);
    Done check_range(std::int64_t first, std::int64_t end) const;
    bool touch_one(std::int64_t first, std::int64_t length, Pages pages);

    Segment() = default;

    Mapping mapping_;
    File file_;
    Handle identity_; ///< without pid, descriptor and path, which may change: handle() adds them
};

/// Keeps it to the end of this process, since MPI may still read or write it; or nothing.
void leave_to_mpi(const std::shared_ptr<Segment> &segment);

}
