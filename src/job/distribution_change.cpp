// SPDX-License-Identifier: BSD-3-Clause
#include "job/distribution_change.hpp"

#include "job/data/array_redistribution.hpp"
#include "job/data/consistency.hpp"
#include "job/data/shared_arrays.hpp"
#include "job/resize/source_and_newcomer.hpp"
#include "mpi/share.hpp"

#include <exception>
#include <numeric>
#include <optional>

namespace nereus::job {
namespace {

constexpr TransferChoice by_messages{NEREUS_P2P, NEREUS_BLOCKING};

/// All processes stay what they are.
Sides sides_of(const Generation &now) {
    const int ranks = now.control.size();
    plan::Sizes sizes{ranks, ranks, false};
    sizes.kept.resize(static_cast<std::size_t>(ranks));
    std::iota(sizes.kept.begin(), sizes.kept.end(), 0);
    return {sizes, {now.control.rank(), now.control.rank()}, now.hosts, now.hosts};
}

/// What this process does alone, before all agree on how it went: an exception must not leave the others waiting.
template <class Act> Done alone(const Act &act) try { return act(); } catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MEMORY, problem.what());
}

/// Collective: whether all say so.
Result<bool> all_say(MPI_Comm comm, bool mine) {
    int says = mine ? 1 : 0, all = 0;
    auto done = mpi::check(MPI_Allreduce(&says, &all, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
    return done ? Result<bool>(all == 1) : tl::unexpected(done.error());
}

Done check_has_own_distribution(const Registry &registry, const std::string &name) {
    const Entry *entry = registry.find(name);
    if (entry == nullptr) return failed(NEREUS_ERR_NAME, "there is no \"" + name + "\"");
    if (entry->is.value) return failed(NEREUS_ERR_NAME, "\"" + name + "\" is a value, which all processes have");
    if (entry->is.has_own_distribution()) return {};
    return failed(NEREUS_ERR_UNSUPPORTED, "\"" + name + "\" is a part of a matrix, whose rows stay in their order");
}

/// From here to its end an array is about to have another distribution, which is forgotten unless it was adopted.
class Change {
public:
    Change(JobState &job, const std::string &name, const plan::Shape &wanted)
        : job_(job), entry_(*job.registry.find(name)), was_shared_(entry_.is.shared),
          can_be_shared_(job.settings.memory == memory_shared && can_be_shared(entry_.is.with(wanted))) {
        for (Entry &entry : job_.registry.entries()) entry.next_borders = entry.borders;
        entry_.next_shape = wanted;
        entry_.next_borders = job_.registry.borders_like(entry_.is.with(wanted));
    }
    Change(const Change &) = delete;
    Change &operator=(const Change &) = delete;
    ~Change() {
        if (entry_.next_shape) entry_.is.shared = was_shared_;
        job_.registry.forget_next();
    }

    bool changes_nothing() const {
        return entry_.next_shape == entry_.is.shape && entry_.next_borders == entry_.borders;
    }

    /// Collective.
    Done carry_out() {
        if (auto done = make_lane(job_.generation); !done) return done;
        if (auto done = find_segment(); !done) return done;
        entry_.is.shared = was_shared_ && can_be_shared_;
        std::optional<ArrayRedistribution> arrays;
        const auto prepared = alone([&] { return prepare(arrays); });
        if (auto done = mpi::agree(control(), prepared); !done) return done;
        if (auto done = move(*arrays); !done) return done;
        job_.generation.windows.reset(); // they show memory that goes now
        arrays->adopt();
        return {};
    }

private:
    MPI_Comm control() const { return job_.generation.control.get(); }

    /// Collective: where the array comes to shared memory. Some may have it in memory of the application.
    Done find_segment() {
        const auto comes = all_say(control(), can_be_shared_ && entry_.is_a_block());
        if (!comes) return tl::unexpected(comes.error());
        if (!*comes) return {};
        const Generation &now = job_.generation;
        return mpi::agree(control(), alone([&]() -> Done {
                              auto segment = share_segment(now, entry_.is.with(*entry_.next_shape),
                                                           entry_.after(now.control.size()), job_.settings);
                              if (!segment) return tl::unexpected(segment.error());
                              entry_.next_segment = std::move(*segment);
                              return {};
                          }));
    }

    Done prepare(std::optional<ArrayRedistribution> &arrays) const {
        arrays.emplace(job_.registry, sides_of(job_.generation), transfer::Windows(), job_.settings.verify);
        auto done = arrays->allocate();
        if (done && entry_.is.shared) done = check_room(job_.registry, sides_of(job_.generation));
        arrays->place_shared();
        return done;
    }

    /// After an error messages may be on their way yet.
    Done move(ArrayRedistribution &arrays) {
        auto done = mpi::agree(control(), alone([&] { return send(arrays); }));
        if (done && job_.settings.verify)
            done = mpi::agree(control(), alone([&] { return arrays.verify(lane(), limit(arrays)); }));
        if (done) return done;
        arrays.abandon();
        job_.generation.lane.abandon();
        job_.generation.windows.abandon();
        return done;
    }

    Done send(ArrayRedistribution &arrays) const {
        auto sending = arrays.sending(entry_.is.constant, lane(), by_messages, job_.settings);
        if (auto done = sending->start(); !done) return done;
        return sending->finish(limit(arrays));
    }

    Deadline limit(const ArrayRedistribution &arrays) const {
        return Deadline::in(arrays.seconds_for(entry_.is.constant, job_.settings));
    }
    transfer::Lane lane() const { return lane_of(job_.generation.lane.get(), sides_of(job_.generation).sizes, false); }

    JobState &job_;
    Entry &entry_;
    bool was_shared_, can_be_shared_;
};

/// Also where the application has swapped pointers: what is swapped on this process alone is found by all.
Done check(JobState &job, const std::string &name, const Result<plan::Shape> &wanted) {
    if (auto done = check_has_own_distribution(job.registry, name); !done) return done;
    if (!wanted) return tl::unexpected(wanted.error());
    return job.registry.follow_pointers();
}

}

Result<nereus_code> change_distribution(JobState &job, const std::string &name, const Result<plan::Shape> &wanted) {
    const MPI_Comm control = job.generation.control.get();
    const auto possible = alone([&] { return check(job, name, wanted); });
    if (auto done = mpi::agree(control, possible); !done) return tl::unexpected(done.error());
    Change change(job, name, *wanted);
    if (auto done = check_alike(control, job.registry); !done) return tl::unexpected(done.error());
    if (auto swaps = agree_on_swaps(control, job.registry, {}); !swaps) return tl::unexpected(swaps.error());
    if (change.changes_nothing()) return NEREUS_UNCHANGED;
    if (auto done = change.carry_out(); !done) return tl::unexpected(done.error());
    return NEREUS_OK;
}

}
