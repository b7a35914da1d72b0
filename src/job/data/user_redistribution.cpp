// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/user_redistribution.hpp"

#include "base/printable.hpp"
#include "mpi/bounded_call.hpp"

#include <cstring>
#include <map>

namespace nereus::job {
namespace {

struct Function {
    nereus_redistribution call;
    void *context;
};

/// Its time is the application's, but not once a newcomer has died: others may wait for that one in it.
constexpr const char *function = "a function of nereus_on_resize()";

/// Of the process, since newcomers have no job yet when they take part in a resize.
std::map<std::string, Function> &functions() {
    static std::map<std::string, Function> all;
    return all;
}

Result<mpi::Comm> merged(MPI_Comm inter, bool newcomer) {
    MPI_Comm both = MPI_COMM_NULL;
    auto done = mpi::check(MPI_Intercomm_merge(inter, newcomer ? 1 : 0, &both), "MPI_Intercomm_merge");
    if (!done) return tl::unexpected(done.error());
    return mpi::Comm(both);
}

}

std::vector<std::string> names_of_redistributions() {
    std::vector<std::string> names;
    for (const auto &[name, function] : functions()) names.push_back(name);
    return names;
}

bool has_redistributions() { return !functions().empty(); }

Done check_redistributions(const std::vector<std::string> &of_job) {
    const std::vector<std::string> own = names_of_redistributions();
    if (own == of_job) return {};
    return failed(NEREUS_ERR_MISMATCH,
                  "a newcomer has the redistributions " + quoted(own) + " where the job has " + quoted(of_job));
}

Done UserRedistribution::meet(MPI_Comm meeting, bool inter, const plan::Sizes &sizes, const plan::Place &place) {
    const mpi::BoundedCall bounded("making the communicator of redistributions");
    auto comm = inter ? merged(meeting, !place.source) : mpi::Comm::duplicate(meeting);
    if (!comm) return tl::unexpected(comm.error());
    comm_ = std::move(*comm);
    for (int drain = 0, newcomers = 0; drain < sizes.drains; ++drain) {
        const auto source = sizes.source_at(drain);
        drain_ranks_.push_back(source ? *source : sizes.sources + newcomers++);
    }
    sides_ = {comm_.get(),        sizes.sources, sizes.drains, place.source.value_or(-1), place.drain.value_or(-1),
              drain_ranks_.data()};
    return {};
}

/// All are called, since others wait in them. @return what the first one said that refused
int UserRedistribution::call(nereus_redistribution_step step) const {
    int said = 0;
    for (const auto &[name, function] : functions())
        if (const int code = function.call(step, &sides_, function.context); said == 0) said = code;
    return said;
}

Done UserRedistribution::move() {
    moved_ = true;
    const mpi::BoundedCall bounded(function, mpi::BoundedCall::any_time);
    const int said = call(NEREUS_MOVE);
    if (said == 0) return {};
    return failed(NEREUS_ERR_TRANSFER, "the application's redistribution refused with " + std::to_string(said));
}

void UserRedistribution::adopt() {
    const mpi::BoundedCall bounded(function, mpi::BoundedCall::any_time);
    if (moved_) (void)call(NEREUS_ADOPT);
    moved_ = false;
    comm_.reset();
}

void UserRedistribution::drop(bool alone) {
    if (moved_) (void)call(NEREUS_DROP);
    moved_ = false;
    if (alone) comm_.abandon();
    comm_.reset();
}

}

extern "C" int nereus_on_resize(const char *name, nereus_redistribution function, void *context) try {
    if (name == nullptr || *name == '\0' || std::strlen(name) > NEREUS_MAX_RESIZE_NAME || function == nullptr)
        return NEREUS_ERR_ARGUMENT;
    nereus::job::functions()[name] = {function, context};
    return NEREUS_OK;
} catch (const std::bad_alloc &) {
    return NEREUS_ERR_MEMORY;
}
