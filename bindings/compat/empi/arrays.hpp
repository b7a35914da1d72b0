// SPDX-License-Identifier: BSD-3-Clause
// What a program of FlexMPI has registered.
//
// Disjoint arrays are arrays of Nereus in the application's memory. Of a shared one each process answers for its own
// rows only, and all processes have all rows after a resize: they are gathered in the resize itself
// (nereus_on_resize()).
#pragma once

#include <nereus/nereus.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nereus::compat {

/// Rows [first, first + count) of a process.
struct Rows {
    int first;
    int count;
};
Rows rows_of(int rank, int size, int all);

struct EmpiArray {
    std::string id;
    void *data = nullptr;       ///< this process' rows, or all rows of a shared array
    void *offered = nullptr;    ///< a newcomer's buffer, for what comes
    int rows = 0;               ///< of the whole
    std::int64_t row_bytes = 0; ///< at most 2^31-1
    bool shared = false;
    bool entered = false; ///< registered with Nereus
    std::vector<char> next{};

    std::string name() const { return "empi." + id; }
    std::size_t bytes() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(row_bytes); }
};

class EmpiArrays {
public:
    void add(EmpiArray array);
    EmpiArray *find(const std::string &id);
    /// @param job  NULL where the process has left
    void remove(nereus_job *job, const std::string &id);

    /// Registers what was added since the last time; a newcomer's buffers are filled.
    void settle(nereus_job *job, bool newcomer);

    /// Collective over both sides of a resize. @return 0, or 1 where some process has no memory
    int gather(const nereus_sides &sides);
    void adopt(const nereus_sides &sides);
    void drop();

private:
    void enter(nereus_job *job, EmpiArray &array, bool newcomer);
    void fill(EmpiArray &array);
    void share_table(const nereus_sides &sides);
    bool make_room(const nereus_sides &sides);
    void gather_one(EmpiArray &array, const nereus_sides &sides) const;

    std::vector<std::unique_ptr<EmpiArray>> arrays_; ///< Nereus keeps pointers to them
    std::vector<EmpiArray> shared_; ///< of all processes, while a resize is made; a newcomer's until it has
                                    ///< registered its own
};

}
