// SPDX-License-Identifier: BSD-3-Clause
// Lets newcomers die, or sleep for ever, at a step of their way into a job.
//
// The file FOLDER/fault names the step: opening, up, connected, merged, transferring, or never. Without that file, and
// in processes that `nereus run` did not start for a resize, nothing happens.
#pragma once

#include <string>

namespace faults {

/// Before nereus_open(), when MPI is initialised. @param folder  of the test
void begin(const std::string &folder);

}
