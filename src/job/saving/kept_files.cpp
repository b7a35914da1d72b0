// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/kept_files.hpp"

#include "memory/segment.hpp"
#include "mpi/share.hpp"

#include <algorithm>

namespace nereus::job {
namespace {

using nlohmann::json;

/// How long the supervisor may take to open files; without an answer none are kept.
constexpr double seconds_to_keep = 5;

/// One by which others find the file too; null where this process cannot.
json tried(const json &handle) {
    const auto read =
        handle.is_null() ? Result<memory::Handle>(failed(NEREUS_ERR_MEMORY, "not kept")) : memory::handle_from(handle);
    return read && memory::Segment::open(*read) ? handle : json();
}

/// On rank 0: as many as there are handles.
json kept_by_supervisor(JobState &job, std::uint64_t request, std::uint64_t epoch, const json &handles) {
    json kept(handles.size(), json());
    const bool has_files = std::ranges::any_of(handles, [](const json &handle) { return !handle.is_null(); });
    if (!job.supervisor || !job.settings.memory_key.empty() || !has_files) return kept;
    const auto answer = job.supervisor->keep(request, epoch, handles, Deadline::in(seconds_to_keep));
    if (!answer || !answer->is_array() || answer->size() != handles.size()) return kept;
    std::ranges::transform(*answer, kept.begin(), tried);
    return kept;
}

}

Result<std::vector<std::optional<memory::Handle>>> keep_files(JobState &job, std::uint64_t request, std::uint64_t epoch,
                                                              const json &handles) try {
    const bool root = job.generation.control.rank() == 0;
    const json own = root ? kept_by_supervisor(job, request, epoch, handles) : json();
    const auto bytes = mpi::share(job.generation.control.get(), 0, json::to_msgpack(own));
    if (!bytes) return tl::unexpected(bytes.error());
    std::vector<std::optional<memory::Handle>> kept;
    for (const json &handle : json::from_msgpack(*bytes)) {
        kept.emplace_back();
        if (handle.is_null()) continue;
        auto read = memory::handle_from(handle);
        if (!read) return tl::unexpected(read.error());
        kept.back() = std::move(*read);
    }
    return kept;
} catch (const json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("shared memory that is kept cannot be read: ") + problem.what());
}

}
