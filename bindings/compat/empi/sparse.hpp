// SPDX-License-Identifier: BSD-3-Clause
// Sparse matrices of a program of FlexMPI: each process has its rows in compressed form, in memory of malloc(), and
// with starts that count from 0. They move in the resize itself (nereus_on_resize()).
#pragma once

#include <nereus/nereus.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace nereus::compat {

struct Freed {
    void operator()(void *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freed>;

struct EmpiSparse {
    std::string id;
    int rows = 0; ///< of the whole
    std::int64_t value_bytes = 0;
    int *starts = nullptr;
    int *columns = nullptr;
    void *values = nullptr;
    bool settled = false;
};

class EmpiSparses {
public:
    void add(const EmpiSparse &matrix);
    EmpiSparse *find(const std::string &id);
    void remove(const std::string &id);

    /// A newcomer's matrices get what has come for them.
    void settle(bool newcomer);

    /// Collective over both sides of a resize. @return 0, or 1 where it cannot be
    int move(const nereus_sides &sides);
    void adopt(const nereus_sides &sides);
    void drop() { moved_.clear(); }

private:
    struct Moved {
        std::string id;
        int rows = 0;
        std::int64_t value_bytes = 0;
        Memory starts, columns, values;
    };

    bool share_table(const nereus_sides &sides);
    bool move_one(Moved &moved, const nereus_sides &sides);
    static void hand_over(Moved &moved, EmpiSparse &matrix);

    std::vector<EmpiSparse> matrices_;
    std::vector<Moved> moved_; ///< while a resize is made; a newcomer's until it has registered its own
};

}
