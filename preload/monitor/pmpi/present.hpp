// SPDX-License-Identifier: BSD-3-Clause
// To which generation of a malleable job, and to which phase of the program, belongs what is sent now.
#pragma once

#include "record/cell.hpp"

#include <mpi.h>
#include <string>

namespace nereus::pmpi {

/// Of what this process moves now in one way.
monitor::Address address_now(monitor::Kind kind);

/// Gives a move that was described before to the present generation and phase.
void bring_to_present(monitor::Address &address);

/// The processes of `comm` are a generation of a job. Local. @return whether that is new
bool enter_generation(MPI_Comm comm, const std::string &job, std::uint32_t generation);

inline constexpr int most_phases = 255;

/// "" ends a phase. @return false where there is no room for one more name
bool enter_phase(const std::string &name);

/// Behind the record.
void forget_present();

}
