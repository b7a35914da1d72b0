// SPDX-License-Identifier: BSD-3-Clause
// By which keys a job and a daemon (docs/reference/daemon.md) or its supervisor (docs/formats/link.md) on the
// network know one another.
#pragma once

#include "base/error.hpp"

#include <string>

namespace nereus::link {

/// CURVE keys as ZeroMQ writes them, 40 characters each.
struct Keys {
    std::string own_public;
    std::string own_secret;
    std::string other_public;
};

/// Of a file that `setting` names. One of another user, or that others may read, is refused.
Result<Keys> read_keys(const std::string &path, const std::string &setting);

}
