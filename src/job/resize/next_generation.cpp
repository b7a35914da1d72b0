// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/next_generation.hpp"

#include "mpi/bounded_call.hpp"

#include <algorithm>

namespace nereus::job {

Result<mpi::Comm> application_of(const mpi::Comm &comm) {
    auto application = mpi::Comm::duplicate(comm.get());
    if (application) MPI_Comm_set_errhandler(application->get(), MPI_ERRORS_ARE_FATAL);
    return application;
}

Result<Generation> generation_of(mpi::Comm comm) {
    auto application = application_of(comm);
    if (!application) return tl::unexpected(application.error());
    Generation next;
    next.control = std::move(comm);
    next.application = std::move(*application);
    return next;
}

Result<Generation> grow(const mpi::Comm &meeting, const plan::Sizes &sizes, int drain) {
    const mpi::BoundedCall bounded("making the communicators of the next generation");
    Generation next;
    if (!sizes.kept.empty()) {
        auto control = mpi::Comm::split(meeting.get(), 0, drain);
        if (!control) return tl::unexpected(control.error());
        next.control = std::move(*control);
    }
    auto application = application_of(next.control ? next.control : meeting);
    if (!application) return tl::unexpected(application.error());
    next.application = std::move(*application);
    return next;
}

void settle_control(Generation &next, mpi::Comm &meeting) {
    const mpi::BoundedCall bounded("MPI_Comm_free");
    if (next.control)
        meeting.reset();
    else
        next.control = std::move(meeting);
}

Result<Shrunk> shrink(const Generation &now, const plan::Sizes &sizes) {
    const int rank = now.control.rank();
    const auto drain = sizes.drain_of(rank);
    const auto fates = plan::fates(now.worlds, sizes);
    Shrunk shrunk;
    auto members = mpi::Comm::split(now.control.get(), drain ? 0 : MPI_UNDEFINED, drain.value_or(rank));
    if (!members) return tl::unexpected(members.error());
    if (std::count(fates.begin(), fates.end(), plan::Fate::parks) > 0) {
        const bool in_lot = rank == 0 || fates[rank] == plan::Fate::parks;
        auto lot = mpi::Comm::split(now.control.get(), in_lot ? 0 : MPI_UNDEFINED, rank);
        if (!lot) return tl::unexpected(lot.error());
        shrunk.lot = std::move(*lot);
    }
    if (!*members) return shrunk;
    auto next = generation_of(std::move(*members));
    if (!next) return tl::unexpected(next.error());
    shrunk.next = std::move(*next);
    return shrunk;
}

}
