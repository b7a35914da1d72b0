// SPDX-License-Identifier: BSD-3-Clause
// A user would lose data of arrays with more than 2^31 bytes if a length or a place were kept in an int somewhere.
//
// Usage: mpiexec -n 2 transfer_large_test METHOD; needs 5 GB of memory.
#include "expect.hpp"

#include "mpi/comm.hpp"
#include "transfer/transfer.hpp"

#include <cstdlib>

using namespace testing_mpi;
using namespace nereus;

namespace {

constexpr std::int64_t bytes = (std::int64_t{1} << 31) + 7, longest_message = std::int64_t{1} << 30;
constexpr double most_seconds = 100;

std::byte content(std::int64_t at) { return static_cast<std::byte>((at * 0x9E3779B97F4A7C15LL) >> 40); }

bool is_right(const std::vector<std::byte> &part) {
    for (std::int64_t at = 0; at < bytes; ++at)
        if (part[static_cast<std::size_t>(at)] != content(at)) return false;
    return true;
}

void carry(transfer::Method method) {
    const bool source = rank_in(MPI_COMM_WORLD) == 0;
    std::vector<std::byte> part(static_cast<std::size_t>(bytes));
    for (std::int64_t at = 0; source && at < bytes; ++at) part[static_cast<std::size_t>(at)] = content(at);
    const auto comm = *mpi::Comm::duplicate(MPI_COMM_WORLD);
    const plan::Place place = source ? plan::Place{0, std::nullopt} : plan::Place{std::nullopt, 0};
    const plan::Move move = plan::move_of(plan::Layout::block, bytes, {1, 1, true}, place);
    const auto done = transfer::move(method, {comm.get(), {1}}, {{"x", move, 1, part.data(), part.data()}},
                                     longest_message, Deadline::in(most_seconds));
    expect(done.has_value(), done ? "" : done.error().what.c_str());
    // Open MPI's MPI_Finalize sleeps between its looks: what a source still has to push would take half a minute.
    MPI_Barrier(comm.get());
    expect(source || is_right(part), "every byte arrives");
}

}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    expect(argc == 2 && size_of(MPI_COMM_WORLD) == 2, "the argument is METHOD, for 2 ranks");
    carry(static_cast<transfer::Method>(std::atoi(argv[1])));
    MPI_Finalize();
    return 0;
}
