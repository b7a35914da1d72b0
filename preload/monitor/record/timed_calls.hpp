// SPDX-License-Identifier: BSD-3-Clause
// The calls of one process in the order in which they were made, each with its time, in a file: docs/formats/calls.md.
//
// In:  what each call was, when it began and ended, by two clocks: of the wall and of the core that the thread had.
// Out: FOLDER/NAME.calls, a row for each call, and FOLDER/NAME.json, written last, which says what the rows mean.
// Bounded: the first `most` calls have rows; those behind them are only counted. Knows nothing of MPI. One thread.
#pragma once

#include "base/error.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <tsl/robin_map.h>
#include <vector>

namespace nereus::monitor {

/// Calls that do the same. `call` is a text that outlives the trace: it is known by its place.
struct CallShape {
    const char *call = "";
    std::uint32_t group = 0;     ///< number of the communicator or file, 0: none
    std::uint32_t processes = 0; ///< of that communicator
    std::int32_t peer = none;    ///< rank less own rank, or the root
    std::uint64_t bytes = 0;

    static constexpr std::int32_t none = INT32_MIN;
    bool operator==(const CallShape &) const = default;
};

/// A moment by both clocks, in ns.
struct Moment {
    std::int64_t wall = 0;
    std::int64_t core = 0; ///< for which the thread had a core

    static Moment now();
};

/// A row of the file, as the machine has numbers.
struct CallRow {
    std::int64_t begin;    ///< ns since the trace began
    std::int64_t in_call;  ///< ns
    std::int64_t computed; ///< ns of a core between the call before and this one
    std::int64_t had_core; ///< ns of a core in the call
    std::uint32_t shape;   ///< place in the list of the other file
    std::uint32_t in_vain; ///< how many looks in vain, one right behind the other; 0: a call that did something
};
static_assert(sizeof(CallRow) == 40);

class TimedCalls {
public:
    struct Place {
        std::string folder, name;
        std::uint64_t most; ///< calls that are kept
    };

    /// The trace begins now.
    static Result<std::unique_ptr<TimedCalls>> begin(const Place &place);
    ~TimedCalls();
    TimedCalls(const TimedCalls &) = delete;
    TimedCalls &operator=(const TimedCalls &) = delete;

    void note(const CallShape &shape, Moment begin, Moment end);
    /// A look whether something has come, in vain: many of them in a row are one row.
    void note_in_vain(const CallShape &shape, Moment begin, Moment end);

    /// Writes what is still to be written, with `facts` about the process.
    Done end(nlohmann::ordered_json facts);

private:
    struct Hash {
        std::size_t operator()(const CallShape &shape) const;
    };
    struct Last {
        CallShape shape;
        bool is_in_vain = false;
    };

    TimedCalls(Place place, int descriptor);
    bool adds_to_last(const CallShape &shape, Moment begin) const;
    void keep(const CallShape &shape, Moment begin, Moment end, std::uint32_t in_vain);
    std::uint32_t number_of(CallShape shape);
    void flush();

    static constexpr std::size_t rows_at_once = 8192;

    Place place_;
    int descriptor_;
    bool is_whole_ = true; ///< all that was to be written was
    Moment begun_, last_end_;
    Last last_;
    std::int64_t row_core_ = 0;          ///< when the last row began, by the core
    std::uint64_t calls_ = 0, kept_ = 0; ///< looks in vain that are one row are one call
    std::vector<CallRow> rows_;          ///< not written yet
    std::vector<CallShape> shapes_;
    tsl::robin_map<CallShape, std::uint32_t, Hash> numbers_;
    std::int64_t cost_;
};

}
