// SPDX-License-Identifier: BSD-3-Clause
#include "process/line.hpp"

#include "mpi/check.hpp"

#include <poll.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace nereus::process {
namespace {

constexpr int tag = 5;
constexpr int nap_milliseconds = 1;

using Bytes = std::vector<std::uint8_t>;

}

Result<nlohmann::json> Line::wait(const Deadline &deadline, const char *what) {
    while (true) {
        auto message = poll();
        if (!message) return tl::unexpected(message.error());
        if (*message) return **message;
        if (auto why = deadline.over(what)) return tl::unexpected(*why);
        ::poll(nullptr, 0, nap_milliseconds);
    }
}

Done MessageLine::send(const nlohmann::json &message) {
    // A message to the dead is never complete: its bytes belong to MPI then, and are lost on purpose.
    auto bytes = std::make_unique<Bytes>(nlohmann::json::to_msgpack(message));
    MPI_Request request = MPI_REQUEST_NULL;
    int sent = 0;
    auto done = mpi::check(
        MPI_Isend(bytes->data(), static_cast<int>(bytes->size()), MPI_BYTE, peer_, tag, comm_, &request), "MPI_Isend");
    if (!done) return done;
    MPI_Test(&request, &sent, MPI_STATUS_IGNORE);
    if (sent != 0) return {};
    MPI_Request_free(&request);
    [[maybe_unused]] const Bytes *left_to_mpi = bytes.release();
    return {};
}

Result<std::optional<nlohmann::json>> MessageLine::poll() {
    int there = 0;
    MPI_Status status;
    if (auto done = mpi::check(MPI_Iprobe(peer_, tag, comm_, &there, &status), "MPI_Iprobe"); !done)
        return tl::unexpected(done.error());
    if (there == 0) return std::nullopt;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Bytes bytes(static_cast<std::size_t>(size));
    auto done = mpi::check(MPI_Recv(bytes.data(), size, MPI_BYTE, peer_, tag, comm_, MPI_STATUS_IGNORE), "MPI_Recv");
    if (!done) return tl::unexpected(done.error());
    auto message = nlohmann::json::from_msgpack(bytes, true, false);
    if (message.is_discarded()) return failed(NEREUS_ERR_MISMATCH, "a message of a newcomer cannot be read");
    return message;
}

}
