// SPDX-License-Identifier: BSD-3-Clause
#include "record/record.hpp"

#include "record/lines.hpp"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace nereus::monitor {
namespace {

template <std::size_t N> void copy_text(const std::string &text, std::array<char, N> &into) {
    std::memcpy(into.data(), text.data(), std::min(text.size(), N - 1));
}

std::mutex records_guard;
std::uint64_t records = 0;
Record *living = nullptr; ///< a shard of a thread that ends later than the record is nobody's

}

/// The shard that a thread has until it ends.
class Borrowed {
public:
    ~Borrowed() {
        const std::lock_guard lock(records_guard);
        if (living && living->number_ == owner_) living->give_back(shard_);
    }
    Shard &of(Record &record) {
        if (owner_ != record.number_) {
            owner_ = record.number_;
            shard_ = record.borrow();
        }
        return *shard_;
    }

private:
    std::uint64_t owner_ = 0; ///< number of the record that lent the shard; 0: none did
    Shard *shard_ = nullptr;
};

Result<std::unique_ptr<Record>> Record::begin(const RecordFacts &facts) {
    auto arena = Arena::make(facts.path);
    if (!arena) return tl::unexpected(arena.error());
    ArenaHead &head = arena->head();
    head.started = facts.started;
    head.window_seconds = facts.window_seconds;
    head.rank = facts.rank;
    head.ranks = facts.ranks;
    head.process = static_cast<std::int32_t>(::getpid());
    copy_text(facts.world, head.world);
    copy_text(facts.host, head.host);
    std::unique_ptr<Record> made(new Record(std::move(*arena), facts));
    const std::lock_guard lock(records_guard);
    made->number_ = ++records;
    living = made.get();
    return made;
}

Record::Record(Arena arena, const RecordFacts &facts)
    : arena_(std::move(arena)), ticker_(facts.started, facts.window_seconds),
      most_pieces_(std::max(1, facts.most_windows / WindowEntries::most)) {}

Record::~Record() {
    const std::lock_guard lock(records_guard);
    if (living == this) living = nullptr;
}

Shard &Record::here() {
    static thread_local Borrowed mine;
    return mine.of(*this);
}

Shard *Record::borrow() {
    const std::lock_guard lock(guard_);
    if (idle_.empty()) {
        shards_.push_back(std::make_unique<Shard>(arena_, ticker_, most_pieces_));
        return shards_.back().get();
    }
    Shard *shard = idle_.back();
    idle_.pop_back();
    return shard;
}

void Record::give_back(Shard *shard) {
    const std::lock_guard lock(guard_);
    idle_.push_back(shard);
}

void Record::tell(const nlohmann::ordered_json &line) { arena_.place_line(text_of(line)); }

void Record::unseen(const std::string &what, const std::string &why) {
    {
        const std::lock_guard lock(guard_);
        if (!told_unseen_.emplace(what, why).second) return;
    }
    tell({{"event", "unseen"}, {"what", what}, {"why", why}});
}

}
