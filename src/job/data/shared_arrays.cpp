// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/shared_arrays.hpp"

#include "job/data/binding.hpp"
#include "mpi/message.hpp"

#include <algorithm>
#include <cstring>

namespace nereus::job {
namespace {

using memory::Segment;
using nlohmann::json;
using Shared = std::shared_ptr<Segment>;

constexpr int tag_segment = 33, tag_segment_open = 34;

Result<Shared> owned(Result<Segment> segment) {
    if (!segment) return tl::unexpected(segment.error());
    return std::make_shared<Segment>(std::move(*segment));
}

/// @param key  where files need names (memory::Wanted), else empty
Result<Shared> made_for(const Description &is, const std::string &key) {
    const auto kind = key.empty() ? memory::Kind::anonymous : memory::Kind::named;
    return owned(Segment::create({is.name, is.bytes(), kind, key}));
}

json answer_of(const Result<Shared> &made) {
    if (made) return {{"handle", memory::as_json((*made)->handle())}};
    return {{"code", int{made.error().code}}, {"what", made.error().what}};
}

/// What the first rank here said; a file of another length belongs to ranks that do not agree, which the next resize
/// finds: until then each of them has memory of its own.
Result<Shared> opened_by_answer(const mpi::Bytes &bytes, const Description &is, const std::string &key) {
    const json answer = json::from_msgpack(bytes);
    if (!answer.contains("handle")) return failed(answer.at("code").get<nereus_code>(), answer.at("what"));
    auto segment = opened_segment(answer.at("handle"));
    return !segment || (*segment)->bytes() == is.bytes() ? segment : made_for(is, key);
}

void put_into(Shared segment, const Generation &now, Entry &entry) {
    const plan::Range part = entry.before(now.control.size()).range_of(now.control.rank());
    entry.segment = std::move(segment);
    if (!part.empty()) entry.data = entry.segment->at(part.first * entry.is.extent);
}

std::vector<int> ranks_on(const std::vector<std::string> &hosts, const std::string &host) {
    std::vector<int> ranks;
    for (std::size_t rank = 0; rank < hosts.size(); ++rank)
        if (hosts[rank] == host) ranks.push_back(static_cast<int>(rank));
    return ranks;
}

/// Bytes of an array that `ranks`, ascending, have together; of a halo that two of them have, once.
std::int64_t bytes_of(const plan::Distribution &cut, const std::vector<int> &ranks, std::int64_t extent) {
    std::int64_t elements = 0, end = 0;
    for (const int rank : ranks) {
        const plan::Range part = cut.range_of(rank);
        elements += std::max<std::int64_t>(part.end - std::max(part.first, end), 0);
        end = std::max(end, part.end);
    }
    return elements * extent;
}

bool any_shared(const Registry &registry) {
    return std::any_of(registry.entries().begin(), registry.entries().end(),
                       [](const Entry &entry) { return entry.is.shared; });
}

/// The first newcomer of its host, where no source is.
bool makes_files(const Sides &sides) {
    if (std::count(sides.source_hosts.begin(), sides.source_hosts.end(), sides.here()) > 0) return false;
    return ranks_on(sides.drain_hosts, sides.here()).front() == *sides.place.drain;
}

Done open_all(Registry &registry, const json &handles) {
    std::size_t index = 0;
    for (Entry &entry : registry.entries()) {
        const json &handle = handles.at(index++);
        if (!entry.is.shared) continue;
        auto segment = opened_segment(handle);
        if (!segment) return tl::unexpected(segment.error());
        entry.segment = std::move(*segment);
    }
    return {};
}

Done make_all(Registry &registry, const std::string &key) {
    for (Entry &entry : registry.entries()) {
        if (!entry.is.shared) continue;
        auto segment = made_for(entry.is, key);
        if (!segment) return tl::unexpected(segment.error());
        entry.segment = std::move(*segment);
    }
    return {};
}

/// The file must not be gone before all have it open.
Done wait_for_others(MPI_Comm comm, const std::vector<int> &here, const Deadline &deadline) {
    for (std::size_t i = 1; i < here.size(); ++i)
        if (auto open = mpi::receive(comm, here[i], tag_segment_open, deadline); !open)
            return tl::unexpected(open.error());
    return {};
}

Result<Shared> made_with_room(const Description &is, const std::string &key, std::int64_t bytes_here) {
    auto made = made_for(is, key);
    if (!made) return made;
    if (auto done = (*made)->check_room(bytes_here); !done) return tl::unexpected(done.error());
    return made;
}

Result<Shared> make_for_others(MPI_Comm comm, const std::vector<int> &here, const Description &is,
                               const plan::Distribution &cut, const Settings &settings, const Deadline &deadline) {
    auto made = made_with_room(is, settings.memory_key, bytes_of(cut, here, is.extent));
    const mpi::Bytes answer = json::to_msgpack(answer_of(made));
    for (std::size_t i = 1; i < here.size(); ++i)
        if (auto done = mpi::post(comm, here[i], tag_segment, answer); !done) return tl::unexpected(done.error());
    if (auto done = wait_for_others(comm, here, deadline); !done) return tl::unexpected(done.error());
    return made;
}

Result<Shared> take_over(MPI_Comm comm, int maker, const Description &is, const Settings &settings,
                         const Deadline &deadline) {
    auto answer = mpi::receive(comm, maker, tag_segment, deadline);
    if (!answer) return tl::unexpected(answer.error());
    auto segment = opened_by_answer(*answer, is, settings.memory_key);
    if (auto done = mpi::post(comm, maker, tag_segment_open, {}); !done) return tl::unexpected(done.error());
    return segment;
}

/// Of files that need names: the launcher finds those of a job by its name and removes what a crash left.
std::string key_of(const Settings &settings) {
    return (settings.job.empty() ? std::to_string(new_world()) : settings.job) + "-array";
}

/// Collective.
Done shared_memory_works(const Generation &now, const Settings &settings) {
    const Description trial{"a trial", false, false, true, {plan::Layout::block, 1}, 1};
    const auto tried = share_segment(now, trial, trial.over(now.control.size()), settings);
    const bool hidden = tried && settings.memory_key.empty() && !(*tried)->can_be_opened_by_others();
    if (hidden) return mpi::agree(now.control.get(), failed(NEREUS_ERR_MEMORY, "processes cannot see one another"));
    return mpi::agree(now.control.get(), tried ? Done{} : Done(tl::unexpected(tried.error())));
}

}

Result<Shared> share_segment(const Generation &now, const Description &is, const plan::Distribution &cut,
                             const Settings &settings) {
    const auto here = ranks_on(now.hosts, now.hosts[static_cast<std::size_t>(now.control.rank())]);
    const Deadline deadline = Deadline::in(settings.answer_timeout);
    return here.front() == now.control.rank() ? make_for_others(now.control.get(), here, is, cut, settings, deadline)
                                              : take_over(now.control.get(), here.front(), is, settings, deadline);
}

bool can_be_shared(const Description &is) {
    const plan::Layout layout = is.shape.layout;
    return !is.value && (layout == plan::Layout::block || layout == plan::Layout::weighted) && is.elements() > 0;
}

Done take_part(const Generation &now, const Settings &settings, Entry &entry) {
    if (entry.is.value) return {};
    const plan::Distribution cut = entry.before(now.control.size());
    if (!entry.is.shared) return allocate_zeroed(entry, cut.count_of(now.control.rank()));
    auto segment = share_segment(now, entry.is, cut, settings); // fresh memory is zero
    if (!segment) return tl::unexpected(segment.error());
    put_into(std::move(*segment), now, entry);
    return {};
}

Done take_part_of(const memory::Handle &handle, const Generation &now, Entry &entry) {
    auto segment = owned(Segment::open(handle));
    if (!segment) return tl::unexpected(segment.error());
    entry.is.shared = true;
    put_into(std::move(*segment), now, entry);
    return {};
}

Done fill_from(const memory::Handle &copy, const Generation &now, Entry &entry) {
    const auto segment = Segment::open(copy);
    if (!segment) return tl::unexpected(segment.error());
    const plan::Range own = own_bytes(now, entry);
    if (own.empty()) return {};
    // Finding pages one by one while they are copied takes longer than copying them.
    if (auto done = entry.segment->touch(own.first, own.end); !done) return done;
    std::memcpy(entry.segment->at(own.first), segment->at(own.first), own.count());
    return {};
}

Done settle_memory(const Generation &now, Settings &settings) {
    if (settings.memory == memory_private) return {};
    Done works;
    for (const std::string &key : {std::string(), key_of(settings)}) {
        settings.memory_key = key;
        works = shared_memory_works(now, settings);
        if (works) break;
    }
    if (!works && settings.memory == memory_shared)
        return failed(NEREUS_ERR_UNSUPPORTED, "memory = shared does not work here: " + works.error().what);
    settings.memory = works ? memory_shared : memory_private;
    return {};
}

Done check_room(const Registry &registry, const Sides &sides) {
    const std::vector<int> here = ranks_on(sides.drain_hosts, sides.here());
    for (const Entry &entry : registry.entries()) {
        if (!entry.is.shared) continue;
        const std::int64_t bytes = bytes_of(entry.after(sides.sizes.drains), here, entry.is.extent);
        if (auto done = entry.segment->check_room(bytes); !done) return done;
    }
    return {};
}

Segments segments_of(const Registry &registry) {
    Segments segments;
    for (const Entry &entry : registry.entries()) segments.push_back(entry.segment);
    return segments;
}

json handles_of(const Segments &segments) {
    json handles = json::array();
    for (const Shared &segment : segments) handles.push_back(segment ? memory::as_json(segment->handle()) : json());
    return handles;
}

Result<Shared> opened_segment(const json &handle) {
    return memory::handle_from(handle).and_then(
        [](const memory::Handle &found) { return owned(Segment::open(found)); });
}

plan::Range own_bytes(const Generation &now, const Entry &entry) {
    const plan::Range own = entry.before(now.control.size()).owned_by(now.control.rank());
    return {own.first * entry.is.extent, own.end * entry.is.extent};
}

Result<Handles> handles_of_sources(MPI_Comm sources, const std::vector<std::string> &hosts, const Registry &registry) {
    if (!any_shared(registry)) return Handles::object();
    int rank = 0;
    MPI_Comm_rank(sources, &rank);
    const std::string &here = hosts[static_cast<std::size_t>(rank)];
    const bool first = ranks_on(hosts, here).front() == rank;
    auto all = mpi::gather(sources, 0, first ? json::to_msgpack(handles_of(segments_of(registry))) : mpi::Bytes{});
    if (!all) return tl::unexpected(all.error());
    Handles handles = Handles::object();
    for (std::size_t source = 0; source < all->size(); ++source)
        if (!(*all)[source].empty()) handles[hosts[source]] = json::from_msgpack((*all)[source]);
    return handles;
}

Result<Handles> come_to_segments(Registry &registry, const Sides &sides, const Handles &handles,
                                 const std::string &key) try {
    if (!any_shared(registry)) return Handles();
    if (handles.contains(sides.here())) {
        auto done = open_all(registry, handles.at(sides.here()));
        if (done) done = check_room(registry, sides);
        if (!done) return tl::unexpected(done.error());
        return Handles();
    }
    if (!makes_files(sides)) return Handles();
    auto done = make_all(registry, key);
    if (done) done = check_room(registry, sides);
    if (!done) return tl::unexpected(done.error());
    return Handles{{sides.here(), handles_of(segments_of(registry))}};
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the job's shared memory cannot be found: ") + problem.what());
}

Done come_to_new_segments(Registry &registry, const Sides &sides, const Handles &handles) try {
    const bool lacks = std::any_of(registry.entries().begin(), registry.entries().end(),
                                   [](const Entry &entry) { return entry.is.shared && !entry.segment; });
    return lacks ? open_all(registry, handles.at(sides.here())) : Done{};
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("new shared memory cannot be found: ") + problem.what());
}

}
