// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_copies.hpp"

#include "job/saving/kept_files.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nereus::job {
namespace {

using memory::Segment;
using nlohmann::json;
using Shared = std::shared_ptr<Segment>;

bool is_copied(const Entry &entry) { return entry.segment && !entry.is.constant && entry.is.bytes() > 0; }

Done check_one_host(const Generation &now) {
    for (const std::string &host : now.hosts)
        if (host != now.hosts.front())
            return failed(NEREUS_ERR_UNSUPPORTED, "epochs are kept in memory of one host only, and there are processes "
                                                  "on " +
                                                      now.hosts.front() + " and on " + host);
    return {};
}

Result<Shared> new_copy(const Entry &entry) {
    auto made = Segment::create({entry.is.name, entry.is.bytes(), memory::Kind::anonymous, ""});
    if (!made) return tl::unexpected(made.error());
    if (auto done = made->check_room(entry.is.bytes()); !done) return tl::unexpected(done.error());
    return std::make_shared<Segment>(std::move(*made));
}

/// On rank 0: by entry, null where none is needed.
Result<Segments> new_copies(const Registry &registry) {
    Segments copies;
    for (const Entry &entry : registry.entries()) {
        auto copy = is_copied(entry) ? new_copy(entry) : Result<Shared>(nullptr);
        if (!copy) return tl::unexpected(copy.error());
        copies.push_back(std::move(*copy));
    }
    return copies;
}

Result<Segments> opened_all(const json &handles) {
    Segments segments;
    for (const json &handle : handles) {
        auto segment = handle.is_null() ? Result<Shared>(nullptr) : opened_segment(handle);
        if (!segment) return tl::unexpected(segment.error());
        segments.push_back(std::move(*segment));
    }
    return segments;
}

/// Collective: rank 0 makes them, the others open them.
Result<Segments> shared_copies(const JobState &job) try {
    const mpi::Comm &control = job.generation.control;
    const bool root = control.rank() == 0;
    auto copies = root ? new_copies(job.registry) : Result<Segments>(Segments{});
    const auto handles = copies.map([](const auto &made) { return json::to_msgpack(handles_of(made)); });
    const auto bytes = mpi::share_result(control.get(), 0, handles);
    if (!bytes) return tl::unexpected(bytes.error());
    if (!root) copies = opened_all(json::from_msgpack(*bytes));
    const Done mine = copies ? Done{} : Done(tl::unexpected(copies.error()));
    if (auto done = mpi::agree(control.get(), mine); !done) return tl::unexpected(done.error());
    return copies;
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("copies of arrays cannot be found: ") + problem.what());
}

/// Where memory runs out, that is said in place of a signal. Who continues finds huge pages in no time.
Done touch_own_parts(const JobState &job, const Segments &copies) {
    for (std::size_t number = 0; number < copies.size(); ++number) {
        if (!copies[number]) continue;
        const plan::Range bytes = own_bytes(job.generation, job.registry.entries()[number]);
        if (auto done = copies[number]->touch(bytes.first, bytes.end, memory::Pages::huge); !done) return done;
    }
    return {};
}

/// A file without its copy would be one whose elements change.
std::vector<KeptArray> kept_arrays(const Registry &registry, std::vector<std::optional<memory::Handle>> files) {
    const std::size_t arrays = registry.entries().size();
    std::vector<KeptArray> kept(arrays);
    for (std::size_t number = 0; number < arrays; ++number) {
        const bool is_changed = is_copied(registry.entries()[number]);
        if (is_changed && !files[arrays + number]) continue;
        kept[number].file = std::move(files[number]);
        if (is_changed && kept[number].file) kept[number].copy = std::move(files[arrays + number]);
    }
    return kept;
}

}

bool EpochCopies::Set::is_for(const JobState &job) const {
    return generation == job.generation.number && arrays == segments_of(job.registry);
}

Result<EpochCopies::Set> EpochCopies::make(JobState &job, std::uint64_t request, std::uint64_t epoch) {
    auto copies = shared_copies(job);
    if (!copies) return tl::unexpected(copies.error());
    json handles = handles_of(segments_of(job.registry));
    for (const json &handle : handles_of(*copies)) handles.push_back(handle);
    auto files = keep_files(job, request, epoch, handles);
    if (!files) return tl::unexpected(files.error());
    if (files->size() != handles.size()) return failed(NEREUS_ERR_MISMATCH, "ranks have not registered the same");
    const Done touched = touch_own_parts(job, *copies);
    if (auto done = mpi::agree(job.generation.control.get(), touched); !done) return tl::unexpected(done.error());
    return Set{job.generation.number, segments_of(job.registry), std::move(*copies),
               kept_arrays(job.registry, std::move(*files))};
}

Result<std::vector<KeptArray>> EpochCopies::take(JobState &job, std::uint64_t request, std::uint64_t epoch) {
    if (auto done = check_one_host(job.generation); !done) return tl::unexpected(done.error());
    Set &set = sets_[epoch % sets_.size()];
    int is_there = set.is_for(job) ? 1 : 0;
    const auto agreed = mpi::check(
        MPI_Allreduce(MPI_IN_PLACE, &is_there, 1, MPI_INT, MPI_MIN, job.generation.control.get()), "MPI_Allreduce");
    if (!agreed) return tl::unexpected(agreed.error());
    if (is_there == 0) {
        set = {};
        auto made = make(job, request, epoch);
        if (!made) return tl::unexpected(made.error());
        set = std::move(*made);
    }
    for (std::size_t number = 0; number < set.copies.size(); ++number) {
        if (!set.kept[number].copy) continue;
        const plan::Range own = own_bytes(job.generation, job.registry.entries()[number]);
        if (!own.empty())
            std::memcpy(set.copies[number]->at(own.first), set.arrays[number]->at(own.first), own.count());
    }
    return set.kept;
}

}
