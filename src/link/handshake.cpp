// SPDX-License-Identifier: BSD-3-Clause
#include "link/handshake.hpp"

#include "base/clock.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <zmq.h>

namespace nereus::link {
namespace {

constexpr const char *place = "inproc://handshake";
constexpr double longest_poll = 1;
constexpr std::size_t longest_address = 256;

std::string decimal(double seconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", seconds);
    return text.data();
}

}

Handshake::Handshake(void *context, void *socket) : socket_(socket), events_(zmq_socket(context, ZMQ_PAIR)) {
    const int linger = 0;
    zmq_setsockopt(events_, ZMQ_LINGER, &linger, sizeof linger);
    zmq_socket_monitor(socket_, place, ZMQ_EVENT_ALL);
    zmq_connect(events_, place);
}

Handshake::~Handshake() {
    zmq_socket_monitor(socket_, nullptr, 0);
    zmq_close(events_);
}

Done Handshake::wait(double seconds) {
    const double until = now() + seconds;
    for (;;) switch (next(until)) {
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
            return {};
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH:
            return failed(NEREUS_ERR_SETTING, "the other end refuses these keys");
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
            return failed(NEREUS_ERR_SETTING, "the other end has no such keys");
        case 0:
            return failed(NEREUS_ERR_TIMEOUT,
                          "the other end did not show within " + decimal(seconds) + " s that it has these keys");
        default: // it may be too busy at first
            continue;
        }
}

int Handshake::next(double until) {
    for (double rest = until - now(); rest > 0; rest = until - now()) {
        zmq_pollitem_t item{.socket = events_, .fd = 0, .events = ZMQ_POLLIN, .revents = 0};
        zmq_poll(&item, 1, static_cast<long>(std::ceil(std::min(rest, longest_poll) * 1000)));
        std::array<char, longest_address> frame{};
        if (zmq_recv(events_, frame.data(), frame.size(), ZMQ_DONTWAIT) < 0) continue;
        std::uint16_t event = 0;
        std::memcpy(&event, frame.data(), sizeof event);
        zmq_recv(events_, frame.data(), frame.size(), ZMQ_DONTWAIT); // the address
        return event;
    }
    return 0;
}

}
