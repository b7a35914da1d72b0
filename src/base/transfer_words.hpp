// SPDX-License-Identifier: BSD-3-Clause
// The words of transfer methods and strategies; their places are the numbers of the public enums, whose header needs
// MPI: src/job compares them when it is compiled.
#pragma once

#include <string>
#include <vector>

namespace nereus {

inline const std::vector<std::string> transfer_methods{"p2p", "col", "rma-lock", "rma-lockall", "auto"};
inline const std::vector<std::string> transfer_strategies{"blocking", "nonblocking", "wait-drains", "thread", "auto"};

/// "p2p, wait-drains"
inline std::string words_of_transfer(int method, int strategy) {
    return transfer_methods[static_cast<std::size_t>(method)] + ", " +
           transfer_strategies[static_cast<std::size_t>(strategy)];
}

}
