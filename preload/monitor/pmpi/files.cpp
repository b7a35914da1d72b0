// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/files.hpp"

#include "base/clock.hpp"
#include "pmpi/io_phases.hpp"
#include "pmpi/moves.hpp"

#include <mutex>
#include <unordered_map>

namespace nereus::pmpi {
namespace {

struct Files {
    std::mutex guard;
    std::uint32_t opened = 0;
    std::unordered_map<std::uint64_t, std::uint32_t> numbers; ///< of those that are open
};

Files &files() {
    static auto *all = new Files;
    return *all;
}

/// 0: it was opened before the record began.
std::uint32_t number_of(MPI_File file) {
    const std::lock_guard lock(files().guard);
    const auto found = files().numbers.find(handle_word(file));
    return found == files().numbers.end() ? 0 : found->second;
}

void count(Kind kind, MPI_File file, std::uint64_t bytes) {
    Address address = address_now(kind);
    address.scope = number_of(file);
    Thread::here().shard().count(address, bytes);
}

}

void opened(MPI_Comm comm, const char *name, int mode, MPI_File file) {
    std::uint32_t number = 0;
    {
        const std::lock_guard lock(files().guard);
        number = files().numbers[handle_word(file)] = ++files().opened;
    }
    record().tell({{"event", "file_opened"},
                   {"file", number},
                   {"name", name},
                   {"mode", mode},
                   {"processes", members_of(Communicator{comm}).size()},
                   {"unix", unix_now()}});
    io_opened(comm, file);
}

void closed(MPI_File file) {
    io_closes(file);
    const std::uint32_t number = number_of(file);
    {
        const std::lock_guard lock(files().guard);
        files().numbers.erase(handle_word(file));
    }
    if (number != 0) record().tell({{"event", "file_closed"}, {"file", number}, {"unix", unix_now()}});
}

void wrote(MPI_File file, MPI_Count number, MPI_Datatype type) { count(Kind::write, file, bytes_of(number, type)); }
void was_read(MPI_File file, MPI_Count number, MPI_Datatype type) { count(Kind::read, file, bytes_of(number, type)); }

}
