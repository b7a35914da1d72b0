// SPDX-License-Identifier: BSD-3-Clause
// Lets newcomers die, or sleep for ever, at a step of their way into a job, or spoils what they receive.
//
// The file FOLDER/fault names the step: opening, up, connected, merged, transferring, agreeing (on windows, or on how
// much COL sends at once), sending (the first large part of an array is on its way), or never. `holding` stays at the
// step sending until there is a file FOLDER/go; `flip` changes a byte of that part when it is there (P2P, one-sided
// methods). Without that file, and in processes that `nereus run` did not start for a resize, nothing happens.
#pragma once

#include <string>

namespace faults {

/// Before nereus_open(), when MPI is initialised. @param folder  of the test
void begin(const std::string &folder);

/// In this process, once: `flip`, or `refuse`, with which MPI has no memory for that part.
void arm(const std::string &step);

}
