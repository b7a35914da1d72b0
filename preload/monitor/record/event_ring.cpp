// SPDX-License-Identifier: BSD-3-Clause
#include "record/event_ring.hpp"

#include "base/clock.hpp"
#include "record/space.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <set>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>

namespace nereus::monitor {
namespace {

constexpr std::size_t names_at = 512;
constexpr std::size_t events_at = names_at + EventRing::name_bytes * EventRing::most_names;
constexpr std::uint64_t events_at_once = 1 << 14; // 640 KiB of the file
constexpr std::string_view other = "other";       // where there are too many names

template <std::size_t N> void copy_text(std::string_view text, std::array<char, N> &into) {
    std::memcpy(into.data(), text.data(), std::min(text.size(), N - 1));
}

/// Numbers of threads that record, from 0; those of threads that ended are given again.
class ThreadNumbers {
public:
    std::uint64_t take() {
        const std::lock_guard lock(guard_);
        if (free_.empty()) return std::min<std::uint64_t>(taken_++, EventRing::most_threads - 1);
        const std::uint64_t number = *free_.begin();
        free_.erase(free_.begin());
        return number;
    }
    void give_back(std::uint64_t number) {
        const std::lock_guard lock(guard_);
        if (number < EventRing::most_threads - 1) free_.insert(number); // the last one may be of several
    }

private:
    std::mutex guard_;
    std::uint64_t taken_ = 0;
    std::set<std::uint64_t> free_;
};

ThreadNumbers &thread_numbers() {
    static auto *of_this_process = new ThreadNumbers;
    return *of_this_process;
}

constexpr std::uint64_t no_number = EventRing::most_threads;
thread_local std::uint64_t own_number = no_number; // without a destructor: a thread may record when those have run

struct OwnNumber {
    OwnNumber() { own_number = thread_numbers().take(); }
    ~OwnNumber() { thread_numbers().give_back(own_number); }
};

std::uint64_t thread_number() {
    if (own_number == no_number) static thread_local const OwnNumber mine;
    return own_number;
}

/// By its place, not by what it reads.
std::uint64_t hash_of(const char *name) {
    return (reinterpret_cast<std::uintptr_t>(name) * 0x9e3779b97f4a7c15ULL) >> 40;
}

/// The last event of this thread, where that was a test in vain.
struct InVain {
    const void *ring = nullptr;
    std::uint64_t index = 0;
    const char *name = nullptr;
    std::int64_t begin = 0;
};
thread_local InVain last_in_vain;

}

std::int64_t monotonic_now() {
    timespec time{};
    clock_gettime(CLOCK_MONOTONIC, &time);
    return std::int64_t{1'000'000'000} * time.tv_sec + time.tv_nsec;
}

Result<std::unique_ptr<EventRing>> EventRing::begin(const Facts &facts) {
    const auto unusable = [&](nereus_code code, int error) {
        return failed(code, facts.path + ": " + std::strerror(error));
    };
    const int descriptor = ::open(facts.path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0) return unusable(NEREUS_ERR_ARGUMENT, errno);
    const std::size_t bytes = events_at + facts.most * sizeof(TraceEvent);
    void *base = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    if (base == MAP_FAILED) {
        const int error = errno;
        ::close(descriptor);
        return unusable(NEREUS_ERR_MEMORY, error);
    }
    std::unique_ptr<EventRing> made(new EventRing(base, bytes, descriptor));
    if (!had_from_system(descriptor, 0, events_at) || !made->begin_head(facts.most)) {
        ::unlink(facts.path.c_str());
        return unusable(NEREUS_ERR_MEMORY, ENOSPC);
    }
    TraceHead &head = made->head();
    head.rank = facts.rank;
    head.ranks = facts.ranks;
    head.process = static_cast<std::int32_t>(::getpid());
    copy_text(facts.world, head.world);
    copy_text(facts.host, head.host);
    copy_text(facts.boot, head.boot);
    head.begun = monotonic_now();
    head.begun_unix = unix_now();
    return made;
}

EventRing::EventRing(void *base, std::size_t mapped, int descriptor)
    : base_(base), mapped_(mapped), descriptor_(descriptor) {}

/// Whether there is room for an event.
bool EventRing::begin_head(std::uint64_t most) {
    new (base_) TraceHead;
    head().most = most;
    grow();
    return room() != 0;
}

EventRing::~EventRing() {
    ::munmap(base_, mapped_);
    ::close(descriptor_);
}

std::int64_t EventRing::now() const { return monotonic_now() - static_cast<const TraceHead *>(base_)->begun; }

TraceEvent *EventRing::events() const {
    return reinterpret_cast<TraceEvent *>(static_cast<std::byte *>(base_) + events_at);
}

void EventRing::add(const What &what) {
    const std::uint64_t index = head().recorded.fetch_add(1, std::memory_order_relaxed);
    TraceEvent &event = events()[index % room_for(index)];
    // Whoever reads what a killed process left must not take one event's name with another's time.
    event.what.store(0, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    event.begin = what.begin;
    event.bytes = what.bytes;
    event.group = what.group;
    event.peer = what.peer;
    event.tag = what.tag;
    event.number = what.number;
    const std::uint64_t took = std::clamp<std::int64_t>(what.end - what.begin, 0, TraceEvent::longest);
    event.what.store(number_of(what.name) << 54 | thread_number() << 48 | took, std::memory_order_release);
}

void EventRing::add_in_vain(const What &what) {
    InVain &last = last_in_vain;
    const std::uint64_t recorded = head().recorded.load(std::memory_order_relaxed);
    if (last.ring == this && last.name == what.name && recorded == last.index + 1) {
        TraceEvent &event = events()[last.index % room()];
        const std::uint64_t took = std::clamp<std::int64_t>(what.end - last.begin, 0, TraceEvent::longest);
        if (event.number < UINT32_MAX) ++event.number;
        event.what.store((event.what.load(std::memory_order_relaxed) & ~TraceEvent::longest) | took,
                         std::memory_order_release);
        return;
    }
    What first = what;
    first.number = 1;
    add(first);
    last = {this, recorded, what.name, what.begin};
}

std::uint64_t EventRing::room() const {
    return static_cast<const TraceHead *>(base_)->room.load(std::memory_order_acquire);
}

std::uint64_t EventRing::room_for(std::uint64_t index) {
    if (index < room() || room() == head().most) return room();
    const std::lock_guard lock(guard_);
    while (index >= room() && room() < head().most) grow();
    return room();
}

/// By one step, or not at all from now on: the ring is as long as it is.
void EventRing::grow() {
    const std::uint64_t before = room();
    const std::uint64_t more = std::min(events_at_once, head().most - before);
    const std::size_t at = events_at + before * sizeof(TraceEvent);
    if (had_from_system(descriptor_, at, more * sizeof(TraceEvent)))
        head().room.store(before + more, std::memory_order_release);
    else
        head().most = before;
}

std::uint64_t EventRing::number_of(const char *name) {
    const std::uint64_t hash = hash_of(name);
    for (std::size_t step = 0; step < known_.size(); ++step) {
        const Known &known = known_[(hash + step) % known_.size()];
        const char *there = known.name.load(std::memory_order_acquire);
        if (there == name) return known.number;
        if (!there) break;
    }
    return add_name(name);
}

/// Names that read the same have one number; the first, which is that of all for which there is no room, is 1.
std::uint64_t EventRing::add_name(const char *name) {
    const std::lock_guard lock(guard_);
    auto *texts = static_cast<char *>(base_) + names_at;
    const auto keep = [&](std::string_view text) {
        std::memcpy(texts + names_ * name_bytes, text.data(), std::min(text.size(), name_bytes - 1));
        return ++names_;
    };
    if (names_ == 0) keep(other);
    std::uint64_t number = 1;
    while (number <= names_ && std::string_view(name) != texts + (number - 1) * name_bytes) ++number;
    if (number > names_) number = names_ + 1 < most_names ? keep(name) : 1;
    const std::uint64_t hash = hash_of(name);
    for (std::size_t step = 0; step < known_.size() / 2; ++step) { // half of the table stays free
        Known &known = known_[(hash + step) % known_.size()];
        if (known.name.load(std::memory_order_relaxed)) continue;
        known.number = number;
        known.name.store(name, std::memory_order_release);
        break;
    }
    return number;
}

}
