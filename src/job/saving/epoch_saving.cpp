// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_saving.hpp"

#include "epochs/epoch_writer.hpp"
#include "job/data/consistency.hpp"
#include "job/data/user_redistribution.hpp"
#include "job/saving/epoch_document.hpp"
#include "job/saving/gathered_pieces.hpp"
#include "job/saving/global_order.hpp"
#include "mpi/library.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

namespace nereus::job {
namespace {

using epochs::EpochWriter;

EpochDocument document_of(const JobState &job, std::uint64_t epoch) {
    EpochDocument document;
    document.epoch = epoch;
    document.iteration = job.iteration;
    document.generation = job.generation.number;
    document.io_phases = static_cast<std::int64_t>(job.io_phases);
    document.says_io = job.says_io;
    document.ranks = job.generation.control.size();
    document.program = std::filesystem::path(job.program.path).filename().string();
    document.mpi = mpi::library();
    document.saved_unix = unix_now();
    for (const Entry &entry : job.registry.entries())
        document.entries.push_back({entry.is, !entry.is.value && !entry.owned});
    return document;
}

/// On rank 0.
Result<std::uint64_t> next_epoch(epochs::SaveFolder folder) {
    if (auto done = folder.prepare(); !done) return tl::unexpected(done.error());
    return folder.epochs().map([](const auto &numbers) { return numbers.empty() ? 1 : numbers.back() + 1; });
}

/// What one process does for one epoch.
class Saving {
public:
    Saving(JobState &job, const Destination &destination, EpochDocument document, const OwnPieces &own)
        : job_(job), comm_(job.generation.control.get()), rank_(job.generation.control.rank()),
          document_(std::move(document)), destination_(destination), own_(own),
          writer_({epochs::disk(), destination.folder}, document_.epoch, forms_of(document_)) {}

    Done save() {
        auto done = mpi::share_outcome(comm_, 0, rank_ == 0 ? writer_.begin() : Done{});
        if (done) done = mpi::agree(comm_, write());
        if (done) done = complete();
        if (!done && rank_ == 0) writer_.discard();
        return done;
    }

private:
    /// After an error no more is written, but others are served where they need this process' elements.
    Done write() {
        Done mine;
        const auto &entries = job_.registry.entries();
        for (std::size_t number = 0; number < entries.size(); ++number) {
            const Done done = write_entry(number, entries[number], mine.has_value());
            if (mine) mine = done;
        }
        if (mine) mine = own_.write(writer_, entries.size());
        return mine ? writer_.finish() : mine;
    }

    Done write_entry(std::size_t number, const Entry &entry, bool is_fine) {
        if (document_.entries[number].kept.file) return {};
        const std::int64_t elements = entry.is.elements();
        const int ranks = job_.generation.control.size();
        const plan::Distribution distribution = entry.before(ranks);
        if (!entry.is.value && !distribution.contiguous()) return write_dealt(number, entry, distribution, is_fine);
        if (!is_fine) return {};
        if (entry.is.value) return rank_ == 0 ? writer_.write(number, {0, elements}, bytes_of(entry)) : Done{};
        if (distribution.layout() != plan::Layout::replicated)
            return writer_.write(number, distribution.owned_by(rank_), bytes_of(entry));
        const plan::Range share = plan::Distribution(plan::Layout::block, elements, ranks).range_of(rank_);
        return writer_.write(number, share, bytes_of(entry) + share.first * entry.is.extent);
    }

    Done write_dealt(std::size_t number, const Entry &entry, const plan::Distribution &distribution, bool is_fine) {
        const GlobalOrder order(comm_, distribution, entry.is.extent);
        return order.gather(bytes_of(entry), [&](plan::Range elements, const std::byte *bytes) {
            return is_fine ? writer_.write(number, elements, bytes) : Done{};
        });
    }

    Done complete() {
        const auto pieces = gathered(comm_, writer_.pieces());
        if (!pieces) return tl::unexpected(pieces.error());
        if (rank_ == 0 && destination_.complete) destination_.complete(document_);
        return mpi::share_outcome(comm_, 0, rank_ == 0 ? writer_.complete(*pieces, as_text(document_)) : Done{});
    }

    static const std::byte *bytes_of(const Entry &entry) { return entry.bytes(); }

    JobState &job_;
    MPI_Comm comm_;
    int rank_;
    EpochDocument document_;
    const Destination &destination_;
    const OwnPieces &own_;
    EpochWriter writer_;
};

/// Collective: rank 0's.
Result<std::uint64_t> agreed_epoch(const JobState &job, const std::string &folder) {
    MPI_Comm comm = job.generation.control.get();
    const bool root = job.generation.control.rank() == 0;
    const Result<std::uint64_t> own = root ? next_epoch({epochs::disk(), folder}) : Result<std::uint64_t>(0);
    const Done found = own ? Done{} : Done(tl::unexpected(own.error()));
    if (auto done = mpi::share_outcome(comm, 0, found); !done) return tl::unexpected(done.error());
    std::uint64_t epoch = *own;
    auto shared = mpi::check(MPI_Bcast(&epoch, 1, MPI_UINT64_T, 0, comm), "MPI_Bcast");
    if (!shared) return tl::unexpected(shared.error());
    return epoch;
}

Done note_kept(EpochDocument &document, Result<std::vector<KeptArray>> kept) {
    if (!kept) return tl::unexpected(kept.error());
    for (std::size_t number = 0; number < kept->size(); ++number)
        document.entries[number].kept = std::move((*kept)[number]);
    return {};
}

bool is_same_folder(const std::string &one, const std::string &other) {
    std::error_code ignored;
    return std::filesystem::equivalent(one, other, ignored);
}

/// Of `DIR` or `DIR/epoch-N`.
bool continues_from(const Settings &settings, const std::string &folder) {
    const auto chosen = epochs::choose_epoch(epochs::disk(), settings.resume);
    return chosen && is_same_folder(chosen->folder, folder);
}

}

Done prepare_saving(const Settings &settings) {
    if (settings.save.empty()) {
        if (settings.save_every == 0) return {};
        return failed(NEREUS_ERR_SETTING, "save-every: needs the setting save");
    }
    epochs::SaveFolder folder(epochs::disk(), settings.save);
    if (auto done = folder.prepare(); !done) return done;
    const auto numbers = folder.epochs();
    if (!numbers) return tl::unexpected(numbers.error());
    if (numbers->empty() || settings.restarted || continues_from(settings, settings.save) ||
        continues_from(settings, settings.protect_folder))
        return {};
    return failed(NEREUS_ERR_SETTING, "save = " + settings.save + ": holds epochs of an earlier job, up to number " +
                                          std::to_string(numbers->back()) +
                                          ": continue from there (setting resume), or name another folder");
}

Done check_can_be_saved() {
    const std::vector<std::string> saved = names_of_own_pieces();
    for (const std::string &moved : names_of_redistributions())
        if (std::ranges::find(saved, moved) == saved.end())
            return failed(NEREUS_ERR_UNSUPPORTED, "the program moves \"" + moved +
                                                      "\" by itself (nereus_on_resize()), and has no functions that "
                                                      "save it (nereus_on_save())");
    return {};
}

Result<SavedEpoch> save_epoch(JobState &job, const Destination &destination) {
    const Stopwatch watch;
    MPI_Comm comm = job.generation.control.get();
    if (auto done = check_alike(comm, job.registry); !done) return tl::unexpected(done.error());
    auto swaps = agree_on_swaps(comm, job.registry, job.registry.follow_pointers());
    if (!swaps) return tl::unexpected(swaps.error());
    const auto epoch = agreed_epoch(job, destination.folder);
    if (!epoch) return tl::unexpected(epoch.error());
    EpochDocument document = document_of(job, *epoch);
    if (destination.keep)
        if (auto done = note_kept(document, destination.keep(*epoch)); !done) return tl::unexpected(done.error());
    const auto own = OwnPieces::hand_out(comm);
    if (!own) return tl::unexpected(own.error());
    document.own = own->saved();
    if (auto done = check_array_names(document); !done) return tl::unexpected(done.error());
    Saving saving(job, destination, std::move(document), *own);
    if (auto done = saving.save(); !done) return tl::unexpected(done.error());
    return SavedEpoch{*epoch, job.registry.bytes() + own->bytes(), watch.seconds()};
}

std::string sentence(const SavedEpoch &saved) {
    char text[96];
    std::snprintf(text, sizeof text, "epoch %llu was saved: %.3g MB in %.2g s",
                  static_cast<unsigned long long>(saved.number), static_cast<double>(saved.bytes) / 1e6, saved.seconds);
    return text;
}

}
