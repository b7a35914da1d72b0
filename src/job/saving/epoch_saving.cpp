// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_saving.hpp"

#include "epochs/epoch_writer.hpp"
#include "job/data/consistency.hpp"
#include "job/data/user_redistribution.hpp"
#include "job/saving/epoch_document.hpp"
#include "job/saving/gathered_pieces.hpp"
#include "job/saving/global_order.hpp"
#include "job/saving/host_folders.hpp"
#include "job/saving/piece_exchange.hpp"
#include "mpi/library.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <utility>

namespace nereus::job {
namespace {

using epochs::EpochWriter;

/// What all agree on.
struct NewEpoch {
    std::uint64_t number; ///< after all that any host has
    double saved_unix;
};

EpochDocument document_of(const JobState &job, NewEpoch epoch) {
    EpochDocument document;
    document.epoch = epoch.number;
    document.iteration = job.iteration;
    document.generation = job.generation.number;
    document.io_phases = static_cast<std::int64_t>(job.io_phases);
    document.says_io = job.says_io;
    document.ranks = job.generation.control.size();
    document.program = std::filesystem::path(job.program.path).filename().string();
    document.mpi = mpi::library();
    document.saved_unix = epoch.saved_unix;
    for (const Entry &entry : job.registry.entries())
        document.entries.push_back({entry.is, !entry.is.value && !entry.owned});
    return document;
}

/// On a process that makes the folder of an epoch.
Result<std::uint64_t> next_epoch(epochs::SaveFolder folder) {
    if (auto done = folder.prepare(); !done) return tl::unexpected(done.error());
    return folder.epochs().map([](const auto &numbers) { return numbers.empty() ? 1 : numbers.back() + 1; });
}

/// Where the folders are that a process writes to.
struct Place {
    std::string folder;
    bool makes_folders;                 ///< and completes the epoch in them
    const HostFolders *hosts = nullptr; ///< one on each; none: there is one for all
};

/// What one process does for one epoch.
class Saving {
public:
    Saving(JobState &job, const Destination &destination, const Place &place, EpochDocument document,
           const OwnPieces &own)
        : job_(job), comm_(job.generation.control.get()), rank_(job.generation.control.rank()),
          document_(std::move(document)), destination_(destination), place_(place), own_(own),
          forms_(forms_of(document_)), writer_({epochs::disk(), place.folder}, document_.epoch, forms_) {}

    Done save() {
        auto done = mpi::agree(comm_, place_.makes_folders ? writer_.begin() : Done{});
        if (done && is_on_hosts()) done = mpi::agree(comm_, take_constants());
        if (done) done = mpi::agree(comm_, write());
        if (done && is_on_hosts()) done = mpi::agree(comm_, copy_to_buddy());
        if (done) done = complete();
        if (!done && place_.makes_folders) writer_.discard();
        if (is_on_hosts()) end_on_hosts(done.has_value());
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
        if (has_constants_ && ConstantPieces::keeps(job_, number)) return {};
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

    epochs::SaveFolder folder() const { return {epochs::disk(), place_.folder}; }

    bool is_on_hosts() const { return place_.hosts != nullptr; }

    void end_on_hosts(bool is_made) {
        ConstantPieces &constants = *destination_.on_hosts;
        is_made ? constants.keep(job_, document_.epoch, writer_.pieces(), copied_) : constants.forget();
        if (!is_made && place_.hosts->leads()) folder().withdraw(document_.epoch);
    }

    /// Collective: those of the epoch before, where all processes have them.
    Done take_constants() {
        const ConstantPieces &constants = *destination_.on_hosts;
        int has_them = constants.are_of(job_) ? 1 : 0;
        auto done = mpi::check(MPI_Allreduce(MPI_IN_PLACE, &has_them, 1, MPI_INT, MPI_MIN, comm_), "MPI_Allreduce");
        has_constants_ = has_them != 0;
        if (!done || !has_constants_) return done;
        writer_.adopt(constants.own());
        copied_ = constants.copied();
        for (std::size_t number = 0; place_.makes_folders && number < document_.entries.size(); ++number)
            if (ConstantPieces::keeps(job_, number))
                if (done = writer_.link(number, constants.epoch()); !done) return done;
        return {};
    }

    /// Collective: what this process wrote goes into the files of the next host too.
    Done copy_to_buddy() {
        epochs::ChunkFiles files(epochs::disk(), folder().unfinished(document_.epoch), forms_);
        std::vector<Pieces> to_each(static_cast<std::size_t>(job_.generation.control.size()));
        if (const int buddy = place_.hosts->buddy(); buddy >= 0) to_each[static_cast<std::size_t>(buddy)] = written();
        const auto from_each = exchanged_lists(comm_, to_each);
        if (!from_each) return tl::unexpected(from_each.error());
        for (const Pieces &from_one : *from_each) copied_.insert(copied_.end(), from_one.begin(), from_one.end());
        const bool fit =
            std::ranges::all_of(copied_, [&](const auto &piece) { return epochs::lies_in(forms_, piece); });
        const Done mine = fit ? Done{} : failed(NEREUS_ERR_MISMATCH, "a rank sent pieces of no array");
        if (auto done = mpi::agree(comm_, mine); !done) return done;
        return move_pieces(comm_, to_each, *from_each, files);
    }

    /// Without what is in the files of the next host already.
    Pieces written() const {
        const Pieces &all = writer_.pieces();
        const auto adopted = has_constants_ ? std::ssize(destination_.on_hosts->own()) : 0;
        return {all.begin() + adopted, all.end()};
    }

    /// On all hosts, or on none: one that some hosts have under its name can be withdrawn.
    Done complete() {
        const auto pieces = is_on_hosts() ? shared_pieces(comm_, writer_.pieces()) : gathered(comm_, writer_.pieces());
        if (!pieces) return tl::unexpected(pieces.error());
        if (is_on_hosts())
            if (auto done = note_held(); !done) return done;
        if (rank_ == 0 && destination_.complete) destination_.complete(document_);
        return mpi::agree(comm_, place_.makes_folders ? writer_.complete(*pieces, as_text(document_)) : Done{});
    }

    /// Collective: what is in this host's files.
    Done note_held() {
        Pieces mine = copied_;
        mine.insert(mine.end(), writer_.pieces().begin(), writer_.pieces().end());
        auto held = gathered(place_.hosts->here(), mine);
        if (!held) return tl::unexpected(held.error());
        document_.held = std::move(*held);
        return {};
    }

    static const std::byte *bytes_of(const Entry &entry) { return entry.bytes(); }

    JobState &job_;
    MPI_Comm comm_;
    int rank_;
    EpochDocument document_;
    const Destination &destination_;
    const Place &place_;
    const OwnPieces &own_;
    std::vector<epochs::ArrayForm> forms_;
    EpochWriter writer_;
    Pieces copied_;              ///< that others wrote
    bool has_constants_ = false; ///< of the epoch before; on hosts
};

/// Collective. The time is rank 0's.
Result<NewEpoch> agreed_epoch(const JobState &job, const Place &place) {
    MPI_Comm comm = job.generation.control.get();
    const Result<std::uint64_t> own =
        place.makes_folders ? next_epoch({epochs::disk(), place.folder}) : Result<std::uint64_t>(0);
    const Done found = own ? Done{} : Done(tl::unexpected(own.error()));
    if (auto done = mpi::agree(comm, found); !done) return tl::unexpected(done.error());
    NewEpoch epoch{*own, unix_now()};
    auto done = mpi::check(MPI_Allreduce(MPI_IN_PLACE, &epoch.number, 1, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
    if (done) done = mpi::check(MPI_Bcast(&epoch.saved_unix, 1, MPI_DOUBLE, 0, comm), "MPI_Bcast");
    if (!done) return tl::unexpected(done.error());
    return epoch;
}

/// Memory is short: what is older goes before the next one comes. An epoch that has its name is complete on all hosts
/// that had a part of it, or was withdrawn.
void keep_newest(const epochs::SaveFolder &folder) {
    const auto numbers = folder.epochs().value_or(std::vector<std::uint64_t>{});
    if (!numbers.empty()) folder.keep_only(numbers.back());
}

/// Collective.
Result<std::optional<HostFolders>> folders_of_hosts(const JobState &job, const Destination &destination) {
    if (destination.on_hosts == nullptr) return std::nullopt;
    const mpi::Comm &control = job.generation.control;
    auto folders = HostFolders::of(control, destination.folder);
    if (!folders) return tl::unexpected(folders.error());
    if (auto done = mpi::agree(control.get(), folders->check_own()); !done) return tl::unexpected(done.error());
    return std::move(*folders);
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
    if (numbers->empty() || settings.restarted || continues_from_hosts(settings) ||
        continues_from(settings, settings.save) || continues_from(settings, settings.protect_folder))
        return {};
    return failed(NEREUS_ERR_SETTING, "save = " + settings.save + ": holds epochs of an earlier job, up to number " +
                                          std::to_string(numbers->back()) +
                                          ": continue from there (setting resume), or name another folder");
}

bool continues_from_hosts(const Settings &settings) {
    return settings.protect == protect_buddy && !settings.resume.empty() && settings.resume == settings.protect_folder;
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
    const auto hosts = folders_of_hosts(job, destination);
    if (!hosts) return tl::unexpected(hosts.error());
    const Place place = *hosts ? Place{(*hosts)->own().string(), (*hosts)->leads(), &**hosts}
                               : Place{destination.folder, job.generation.control.rank() == 0};
    const auto epoch = agreed_epoch(job, place);
    if (!epoch) return tl::unexpected(epoch.error());
    if (*hosts && place.makes_folders) keep_newest({epochs::disk(), place.folder});
    EpochDocument document = document_of(job, *epoch);
    if (destination.keep)
        if (auto done = note_kept(document, destination.keep(epoch->number)); !done)
            return tl::unexpected(done.error());
    const auto own = OwnPieces::hand_out(comm);
    if (!own) return tl::unexpected(own.error());
    document.own = own->saved();
    if (auto done = check_array_names(document); !done) return tl::unexpected(done.error());
    Saving saving(job, destination, place, std::move(document), *own);
    if (auto done = saving.save(); !done) return tl::unexpected(done.error());
    return SavedEpoch{epoch->number, job.registry.bytes() + own->bytes(), watch.seconds()};
}

std::string sentence(const SavedEpoch &saved) {
    char text[96];
    std::snprintf(text, sizeof text, "epoch %llu was saved: %.3g MB in %.2g s",
                  static_cast<unsigned long long>(saved.number), static_cast<double>(saved.bytes) / 1e6, saved.seconds);
    return text;
}

}
