// SPDX-License-Identifier: BSD-3-Clause
#include "process/channel.hpp"

#include "mpi/message.hpp"

#include <poll.h>

namespace nereus::process {
namespace {

constexpr int tag = 5;
constexpr int nap_milliseconds = 1;

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
    return mpi::post(comm_, peer_, tag, nlohmann::json::to_msgpack(message));
}

Result<std::optional<nlohmann::json>> MessageLine::poll() {
    auto there = mpi::has_message(comm_, peer_, tag);
    if (!there) return tl::unexpected(there.error());
    if (!*there) return std::nullopt;
    auto bytes = mpi::receive(comm_, peer_, tag);
    if (!bytes) return tl::unexpected(bytes.error());
    auto message = nlohmann::json::from_msgpack(*bytes, true, false);
    if (!message.is_object()) return failed(NEREUS_ERR_MISMATCH, "the message of the other side cannot be read");
    return message;
}

Done StampedLine::send(const nlohmann::json &message) {
    auto stamped = message;
    stamped["stamp"] = stamp_;
    return line_.send(stamped);
}

Result<std::optional<nlohmann::json>> StampedLine::poll() {
    while (true) {
        auto message = line_.poll();
        if (!message || !*message || (*message)->value("stamp", nlohmann::json()) == stamp_) return message;
    }
}

}
