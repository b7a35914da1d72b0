// SPDX-License-Identifier: BSD-3-Clause
// The record of one process: what the sensors count into and what files, sessions and other programs read from.
//
// In:  addresses and bytes, from any thread (count), lines that are written once (tell), reasons for what was not seen.
// Out: an arena (arena.hpp), which may be read at any time from anywhere.
// Knows nothing of MPI.
#pragma once

#include "record/shard.hpp"

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

namespace nereus::monitor {

struct RecordFacts {
    std::string path;           ///< of the arena; "": memory of this process
    std::string world;          ///< random name of the MPI_COMM_WORLD, at most 39 characters
    std::string host;           ///< at most 63 characters are kept
    int rank = 0;               ///< in that world
    int ranks = 1;              ///< of that world
    double started = 0;         ///< seconds since 1970, the same in all processes of the world
    double window_seconds = 1;  ///< > 0
    int most_windows = 1 << 16; ///< entries of the history of each thread that are kept, in pieces of 1024
};

class Record {
public:
    static Result<std::unique_ptr<Record>> begin(const RecordFacts &facts);
    ~Record();

    /// This thread's part. Valid until the record ends.
    Shard &here();

    /// A line that will stand in the file as it is.
    void tell(const nlohmann::ordered_json &line);
    /// Something that could not be seen, and why; once for each pair of these.
    void unseen(const std::string &what, const std::string &why);

    void end(End how) { arena_.head().end.store(static_cast<std::int32_t>(how)); }
    const Arena &arena() const { return arena_; }

private:
    Record(Arena arena, const RecordFacts &facts);
    friend class Borrowed;
    Shard *borrow();
    void give_back(Shard *shard);

    std::uint64_t number_ = 0; ///< of this record among those of the process, from 1
    Arena arena_;
    Ticker ticker_;
    int most_pieces_;
    std::mutex guard_;
    std::vector<std::unique_ptr<Shard>> shards_;
    std::vector<Shard *> idle_; ///< of threads that ended
    std::set<std::pair<std::string, std::string>> told_unseen_;
};

}
