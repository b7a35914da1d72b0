// SPDX-License-Identifier: BSD-3-Clause
// Who starts parties as MPI jobs of their own, for one resize: the supervisor, as this room sees it (strategy join).
#pragma once

#include "plan/spawn_groups.hpp"
#include "process/channel.hpp"

#include <memory>
#include <string>
#include <vector>

namespace nereus::process {

class Starter {
public:
    Starter() = default;
    Starter(const Starter &) = delete;
    Starter &operator=(const Starter &) = delete;
    virtual ~Starter() = default;

    /// Returns at once; the leaders say hello when their parties are up. @param first  number of the first party
    virtual Done start(const std::vector<plan::Party> &parties, std::size_t first) = 0;
    virtual std::unique_ptr<Line> line_to(std::size_t party) = 0;

    /// All sources are about to wait for a connect at `port`: they are to be released should nobody come.
    virtual void connecting(const std::string &port, double seconds) = 0;
    virtual void connected() = 0;

    /// Whether a party ended.
    virtual std::optional<Error> news() = 0;
};

}
