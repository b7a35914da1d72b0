// SPDX-License-Identifier: BSD-3-Clause
// A user would lose the end of an array, or wait for it for ever, if a process whose old and new part begin at one
// address did not send or receive what makes the difference: so it is with shared memory on several hosts.
//
// Usage: mpiexec -n 2 transfer_same_begin_test METHOD
#include "expect.hpp"

#include "mpi/comm.hpp"
#include "transfer/transfer.hpp"

#include <algorithm>
#include <cstdlib>

using namespace testing_mpi;
using namespace nereus;

namespace {

constexpr std::int64_t elements = 100001;
constexpr double most_seconds = 10;

struct Player {
    transfer::Method method;
    const mpi::Comm &comm;
    std::vector<std::byte> part; ///< that both generations use

    plan::Range range(int ranks) const {
        return comm.rank() < ranks ? plan::Distribution{plan::Layout::block, elements, ranks}.range_of(comm.rank())
                                   : plan::Range{};
    }
    static std::byte content(std::int64_t element) { return static_cast<std::byte>(element * 31 >> 3); }

    void fill(int ranks) {
        const plan::Range mine = range(ranks);
        for (std::int64_t i = mine.first; i < mine.end; ++i)
            part[static_cast<std::size_t>(i - mine.first)] = content(i);
    }
    bool is_right(int ranks) const {
        const plan::Range mine = range(ranks);
        for (std::int64_t i = mine.first; i < mine.end; ++i)
            if (part[static_cast<std::size_t>(i - mine.first)] != content(i)) return false;
        return true;
    }

    /// By Merge: rank 0 keeps its begin.
    void resize(int from, int to) {
        const auto place_in = [&](int ranks) {
            return comm.rank() < ranks ? std::optional<int>(comm.rank()) : std::nullopt;
        };
        plan::Move move =
            plan::move_of(plan::Layout::block, elements, {from, to, false}, {place_in(from), place_in(to)});
        move.stays.clear();
        const transfer::Lane lane{comm.get(), to == 1 ? std::vector<int>{0} : std::vector<int>{0, 1}};
        const auto done = transfer::move(
            method, lane,
            {{"x", move, 1, range(from).empty() ? nullptr : part.data(), range(to).empty() ? nullptr : part.data()}},
            elements, Deadline::in(most_seconds));
        expect(done.has_value(), done ? "" : done.error().what.c_str());
        expect(is_right(to), "every byte arrives");
    }
};

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    expect(argc == 2 && size_of(MPI_COMM_WORLD) == 2, "the argument is METHOD, for 2 ranks");
    {
        const auto comm = *mpi::Comm::duplicate(MPI_COMM_WORLD);
        Player player{static_cast<transfer::Method>(std::atoi(argv[1])), comm, std::vector<std::byte>(elements)};
        player.fill(1);
        player.resize(1, 2);
        std::fill(player.part.begin() + player.range(2).count(), player.part.end(), std::byte{0}); // what was sent
        player.resize(2, 1);
    }
    MPI_Finalize();
    return 0;
}
