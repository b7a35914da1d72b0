// SPDX-License-Identifier: BSD-3-Clause
// Whether two ends that have keys have come to know one another: ZeroMQ itself tries on for ever, without a word.
#pragma once

#include "base/error.hpp"

namespace nereus::link {

class Handshake {
public:
    /// Before `socket`, of `context`, connects. One at a time in a context.
    Handshake(void *context, void *socket);
    Handshake(const Handshake &) = delete;
    Handshake &operator=(const Handshake &) = delete;
    ~Handshake();

    /// An error where the other end refuses the keys, speaks without any, or has not answered in time.
    Done wait(double seconds);

private:
    /// The next event; 0: there is none in time.
    int next(double until);

    void *socket_;
    void *events_;
};

}
