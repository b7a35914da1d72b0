// SPDX-License-Identifier: BSD-3-Clause
// What all processes must know of one.
#pragma once

#include <nereus/nereus.hpp>

#include <string>

namespace applications {

/// Collective. Whether a process has a complaint, which is not ""; the first that has one says it on stderr.
bool anyone_complains(const std::string &program, const nereus::Job &job, const std::string &complaint);

}
