// SPDX-License-Identifier: BSD-3-Clause
// The last events of one process, in a file that is mapped, so that it outlives the process: docs/formats/trace.md.
//
// In:  events, from any thread: calls with their time, messages that arrived, marks.
// Out: a head, the names of what happened, and a ring of events; `recorded` says how many there were, so that a reader
//      knows how many of the oldest were overwritten. Knows nothing of MPI.
// Space is had from the system before it is used: where a disk is full the ring is as long as what was had until then.
#pragma once

#include "base/error.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace nereus::monitor {

/// ns by the clock of traces, which processes of one system share and nothing sets.
std::int64_t monotonic_now();

/// What a reader sees of an event. Numbers are as the machine has them.
struct TraceEvent {
    static constexpr std::int32_t no_peer = INT32_MIN;
    static constexpr std::uint64_t longest = (std::uint64_t{1} << 48) - 1; ///< ns; 3 days

    std::atomic<std::uint64_t> what{0}; ///< name << 54 | thread << 48 | ns that it took; 0: not written yet
    std::int64_t begin = 0;             ///< ns since TraceHead::begun
    std::uint64_t bytes = 0;
    std::uint32_t group = 0; ///< number of the communicator in this process, or of the file; 0: none
    std::int32_t peer = no_peer;
    std::int32_t tag = 0;
    std::uint32_t number = 0; ///< of a message that arrived: the place of its receive among all; else of tests in vain
};
static_assert(sizeof(TraceEvent) == 40);

/// First in the file. Strings end with a zero.
struct TraceHead {
    static constexpr std::array<char, 8> right_magic{'n', 'e', 'r', 'e', 'u', 's', 't', '1'};

    std::array<char, 8> magic = right_magic;
    std::atomic<std::uint64_t> recorded{0}; ///< events, with those that were overwritten
    std::atomic<std::uint64_t> room{0};     ///< events that the file has room for
    std::int64_t begun = 0;                 ///< ns by the monotonic clock of the host
    double begun_unix = 0;                  ///< the same moment, in seconds since 1970
    std::int32_t rank = 0;
    std::int32_t ranks = 0;
    std::int32_t process = 0;              ///< as the system numbers it
    std::atomic<std::int32_t> is_ended{0}; ///< 1: it came to its end in order
    /// Clock of rank 0 less that of this process, when the trace began, and half of the shortest round trip by which
    /// that was found, ns; 0, 0: they read the same clock.
    std::int64_t clock_offset = 0, clock_error = 0;
    std::array<char, 40> world{}; ///< random name of the MPI_COMM_WORLD
    std::array<char, 64> host{};
    std::array<char, 40> boot{};        ///< of the system that the clock belongs to
    std::atomic<std::uint64_t> most{0}; ///< events that the ring holds: from here on, the oldest are overwritten
    /// As those before, when the trace ended, and when that was, ns since `begun`; 0: it was not measured.
    std::int64_t clock_offset_at_end = 0, clock_error_at_end = 0, compared_at_end = 0;
};
static_assert(sizeof(TraceHead) <= 512);

class EventRing {
public:
    struct Facts {
        std::string path;   ///< of a file that is not there yet
        std::uint64_t most; ///< events that are kept, 1 or more
        std::string world, host, boot;
        int rank = 0, ranks = 1;
        double begun_unix = 0;
    };
    static constexpr std::size_t name_bytes = 32, most_names = 1024, most_threads = 64;

    /// NEREUS_ERR_ARGUMENT, NEREUS_ERR_MEMORY where the file cannot be made or has no room for a single event.
    static Result<std::unique_ptr<EventRing>> begin(const Facts &facts);
    ~EventRing();
    EventRing(const EventRing &) = delete;
    EventRing &operator=(const EventRing &) = delete;

    /// ns since the ring began.
    std::int64_t now() const;
    TraceHead &head() { return *static_cast<TraceHead *>(base_); }

    /// A text that outlives the ring is known by its place: it is looked up, not read.
    struct What {
        const char *name;
        std::int64_t begin, end; ///< of now()
        std::uint64_t bytes = 0;
        std::uint32_t group = 0;
        std::int32_t peer = TraceEvent::no_peer;
        std::int32_t tag = 0;
        std::uint32_t number = 0;
    };
    void add(const What &what);
    /// A test in vain: many of them in a row, of one thread and with nothing in between, are one event.
    void add_in_vain(const What &what);

private:
    EventRing(void *base, std::size_t mapped, int descriptor);
    bool begin_head(std::uint64_t most);
    TraceEvent *events() const;
    std::uint64_t room_for(std::uint64_t index);
    void grow();
    std::uint64_t room() const;
    std::uint64_t number_of(const char *name);
    std::uint64_t add_name(const char *name);

    struct Known {
        std::atomic<const char *> name{nullptr};
        std::uint64_t number = 0;
    };

    void *base_;
    std::size_t mapped_;
    int descriptor_;
    std::mutex guard_;
    std::uint64_t names_ = 0;
    std::array<Known, 2 * most_names> known_{}; ///< by the place of the text
};

}
