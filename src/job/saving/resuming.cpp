// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/resuming.hpp"

#include "base/printable.hpp"
#include "epochs/epoch_reader.hpp"
#include "job/data/binding.hpp"
#include "job/data/entry_form.hpp"
#include "job/data/shared_arrays.hpp"
#include "job/saving/epoch_document.hpp"
#include "job/saving/epoch_fetch.hpp"
#include "job/saving/epoch_saving.hpp"
#include "job/saving/epoch_search.hpp"
#include "job/saving/gathered_pieces.hpp"
#include "job/saving/global_order.hpp"
#include "mpi/share.hpp"

#include <cstring>
#include <utility>

namespace nereus::job {
namespace {

using epochs::ChosenEpoch;
using epochs::EpochReader;
using epochs::SaveFolder;

/// An epoch, as all founders know it.
struct Found {
    ChosenEpoch chosen; ///< where this process reads it
    EpochDocument document;
    bool checks_files = false;         ///< this process, for others too
    std::optional<EpochFetch> fetch{}; ///< of one on several hosts: what this one lacks
};

/// On rank 0: which epoch, and what it says of itself.
Result<mpi::Bytes> find(const std::string &folder) {
    auto chosen = epochs::choose_epoch(epochs::disk(), folder);
    if (!chosen) return tl::unexpected(chosen.error());
    auto document = epochs::document_of({epochs::disk(), chosen->folder}, chosen->epoch);
    if (!document) return tl::unexpected(document.error());
    const nlohmann::json both{
        {"folder", chosen->folder.string()}, {"epoch", chosen->epoch}, {"document", std::move(*document)}};
    return nlohmann::json::to_msgpack(both);
}

/// Collective.
Result<Found> found_epoch(const mpi::Comm &control, const std::string &folder) try {
    const auto own = control.rank() == 0 ? find(folder) : Result<mpi::Bytes>(mpi::Bytes{});
    auto bytes = mpi::share_result(control.get(), 0, own);
    if (!bytes) return tl::unexpected(bytes.error());
    const auto both = nlohmann::json::from_msgpack(*bytes);
    const ChosenEpoch chosen{both.at("folder").get<std::string>(), both.at("epoch")};
    auto document = document_from(both.at("document"));
    if (!document)
        return failed(document.error().code,
                      SaveFolder(epochs::disk(), chosen.folder).folder_of(chosen.epoch).string() + ": " +
                          document.error().what);
    return Found{chosen, std::move(*document), control.rank() == 0};
} catch (const nlohmann::json::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the epoch cannot be read: ") + problem.what());
}

/// Collective.
Result<Found> found_on_hosts(const mpi::Comm &control, const std::string &folder) {
    auto folders = HostFolders::of(control, folder);
    if (!folders) return tl::unexpected(folders.error());
    auto found = find_on_hosts(control, *folders);
    if (!found) return tl::unexpected(found.error());
    const SaveFolder own(epochs::disk(), folders->own());
    epochs::ChunkFiles files(epochs::disk(), own.folder_of(found->epoch), forms_of(found->document));
    const bool leads = folders->leads();
    return Found{{own.path(), found->epoch},
                 std::move(found->document),
                 leads,
                 EpochFetch(control, std::move(*folders), std::move(found->holders), std::move(files))};
}

class Resuming {
public:
    Resuming(JobState &job, Found &found)
        : job_(job), comm_(job.generation.control.get()), rank_(job.generation.control.rank()),
          ranks_(job.generation.control.size()), found_(found), document_(found.document),
          reader_({epochs::disk(), found.chosen.folder}, found.chosen.epoch, forms_of(found.document)) {}

    Done resume() {
        is_damaged_ = true; // unless all of it turns out well
        const Done files = found_.checks_files ? reader_.check_files() : Done{};
        is_damaged_here_ = !files;
        if (auto done = mpi::agree(comm_, files); !done) return done;
        is_damaged_ = false;
        if (auto done = mpi::agree(comm_, check_functions(document_.own)); !done) return done;
        if (auto done = make_entries(); !done) return done;
        is_damaged_ = true;
        if (auto done = fetch_entries(); !done) return done;
        if (auto done = mpi::agree(comm_, read()); !done) return done;
        if (auto done = read_own(); !done) return done;
        if (auto done = check_checksums(); !done) return done;
        is_damaged_ = false;
        if (auto done = hand_over_own(); !done) return done;
        job_.registry.expect(std::move(entries_).release());
        return {};
    }

    /// Whether resume() failed since files of the epoch are not what they should be.
    bool is_damaged() const { return is_damaged_; }
    /// And whether it was this process that found them so.
    bool is_damaged_here() const { return is_damaged_here_; }

private:
    /// Entries that free their memory unless they are released to the registry.
    class Entries {
    public:
        Entries() = default;
        Entries(const Entries &) = delete;
        Entries &operator=(const Entries &) = delete;
        ~Entries() {
            for (Entry &entry : all_) entry.let_go();
        }
        std::vector<Entry> release() && { return std::exchange(all_, {}); }
        std::vector<Entry> &all() { return all_; }

    private:
        std::vector<Entry> all_;
    };

    /// Collective. Row by row of a matrix its columns and values follow its starts, which say how they are cut.
    Done make_entries() {
        for (const SavedEntry &saved : document_.entries) {
            if (auto done = mpi::agree(comm_, add_entry(saved)); !done) return done;
            Entry &made = entries_.all().back();
            if (auto done = cut(made); !done) return done;
            if (auto done = mpi::agree(comm_, take_part_of(saved, made)); !done) return done;
        }
        return {};
    }

    /// Collective where memory has to be made.
    Done take_part_of(const SavedEntry &saved, Entry &made) {
        if (!saved.kept.file) return take_part(job_.generation, job_.settings, made);
        if (auto done = job::take_part_of(*saved.kept.file, job_.generation, made); !done) return done;
        return saved.kept.copy ? fill_from(*saved.kept.copy, job_.generation, made) : Done{};
    }

    Done add_entry(const SavedEntry &saved) try {
        entries_.all().push_back(entry_of(saved.is));
        Description &is = entries_.all().back().is;
        is.shared = !saved.own_memory && job_.settings.memory == memory_shared && can_be_shared(is);
        return {};
    } catch (const std::bad_alloc &) {
        return failed(NEREUS_ERR_MEMORY, "no memory for \"" + saved.is.name + "\" of the epoch");
    }

    /// Collective: the borders of a matrix' columns and values.
    Done cut(Entry &entry) {
        if (entry.is.rows_of.empty()) return {};
        if (auto done = fetch_starts_at_borders(entry.is); !done) return done;
        const auto borders = mpi::share_result(comm_, 0, rank_ == 0 ? borders_of(entry.is) : mpi::Bytes{});
        if (!borders) return tl::unexpected(borders.error());
        entry.borders.resize(borders->size() / sizeof(std::int64_t));
        std::memcpy(entry.borders.data(), borders->data(), borders->size());
        return {};
    }

    /// Collective: elements that processes are about to read. Nothing where all can read all.
    Done fetch(const std::vector<ElementsOf> &wanted) {
        auto done = found_.fetch ? found_.fetch->fetch(wanted) : Done{};
        is_damaged_ = is_damaged_ || (!done && done.error().code == NEREUS_ERR_MISMATCH);
        return done;
    }

    Done fetch_starts_at_borders(const Description &is) {
        const std::size_t starts = number_of(is.rows_of);
        std::vector<ElementsOf> wanted;
        if (rank_ == 0)
            for (const std::int64_t row : document_.entries[starts].is.over(ranks_).borders())
                wanted.push_back({starts, {row, row + 1}});
        return fetch(wanted);
    }

    Done fetch_entries() {
        std::vector<ElementsOf> wanted;
        for (std::size_t number = 0; number < entries_.all().size(); ++number)
            if (!document_.entries[number].kept.file) wanted.push_back({number, range_of(entries_.all()[number])});
        return fetch(wanted);
    }

    /// Of the elements that this process reads.
    plan::Range range_of(const Entry &entry) const {
        const std::int64_t elements = entry.is.elements();
        const plan::Distribution distribution = entry.before(ranks_);
        if (entry.is.value || distribution.layout() == plan::Layout::replicated) return {0, elements};
        if (distribution.contiguous()) return distribution.range_of(rank_);
        return GlobalOrder(comm_, distribution, entry.is.extent).range();
    }

    /// On rank 0: where the rows of each rank begin.
    Result<mpi::Bytes> borders_of(const Description &is) {
        const std::size_t starts = number_of(is.rows_of);
        std::vector<std::int64_t> borders;
        for (const std::int64_t row : document_.entries[starts].is.over(ranks_).borders()) {
            const auto start = start_of(starts, row);
            if (!start) return tl::unexpected(start.error());
            borders.push_back(*start);
        }
        if (auto done = plan::check_borders(borders); !done || borders.back() != is.shape.elements)
            return failed(NEREUS_ERR_MISMATCH, "the epoch's \"" + is.rows_of + "\" does not fit \"" + is.name + "\"");
        mpi::Bytes bytes(borders.size() * sizeof(std::int64_t));
        std::memcpy(bytes.data(), borders.data(), bytes.size());
        return bytes;
    }

    /// Of a row, by the entry that has the starts of all.
    Result<std::int64_t> start_of(std::size_t starts, std::int64_t row) {
        std::int64_t start = 0;
        const auto &segment = entries_.all()[starts].segment;
        Done done;
        if (document_.entries[starts].kept.file)
            std::memcpy(&start, segment->at(row * std::int64_t{sizeof start}), sizeof start);
        else
            done = reader_.read_again(starts, {row, row + 1}, reinterpret_cast<std::byte *>(&start));
        return done ? Result<std::int64_t>(start) : tl::unexpected(done.error());
    }

    std::size_t number_of(const std::string &name) const {
        std::size_t number = 0;
        while (document_.entries[number].is.name != name) ++number; // there is one: the document was checked
        return number;
    }

    /// After an error nothing more is read, but others are served where their parts come through this process.
    Done read() {
        Done mine;
        for (std::size_t number = 0; number < entries_.all().size(); ++number) {
            const Done done = read_entry(number, entries_.all()[number], mine.has_value());
            if (mine) mine = done;
        }
        return mine;
    }

    /// Collective: the application's own data, whose starts say which bytes there are to be read.
    Done read_own() {
        std::size_t array = document_.entries.size();
        for (const SavedPieces &saved : document_.own) {
            if (auto done = fetch({{array, LoadedPieces::starts_of(saved, rank_, ranks_)}}); !done) return done;
            auto own = LoadedPieces::with_starts(reader_, saved, array, rank_, ranks_);
            if (auto done = mpi::agree(comm_, own ? Done{} : Done(tl::unexpected(own.error()))); !done) return done;
            if (auto done = fetch({{array + 1, own->bytes()}}); !done) return done;
            if (auto done = mpi::agree(comm_, own->read_bytes(reader_, array + 1)); !done) return done;
            own_.push_back(std::move(*own));
            array += 2;
        }
        return {};
    }

    /// Collective, also within the application's functions.
    Done hand_over_own() {
        for (const LoadedPieces &own : own_)
            if (auto done = mpi::agree(comm_, own.hand_over(job_.generation.application.get())); !done) return done;
        return {};
    }

    Done read_entry(std::size_t number, const Entry &entry, bool is_fine) {
        if (document_.entries[number].kept.file) return {};
        const plan::Range all{0, entry.is.elements()};
        const plan::Distribution distribution = entry.before(ranks_);
        if (!entry.is.value && !distribution.contiguous()) return read_dealt(number, entry, distribution, is_fine);
        if (!is_fine) return {};
        if (entry.is.value) return read_whole(number, entry, rank_ == 0 ? all : plan::Range{});
        if (distribution.layout() == plan::Layout::replicated)
            return read_whole(number, entry, plan::Distribution(plan::Layout::block, all.end, ranks_).range_of(rank_));
        const plan::Range own = distribution.owned_by(rank_), halo{own.end, distribution.range_of(rank_).end};
        auto done = reader_.read(number, own, entry.bytes());
        if (!done) return done;
        return reader_.read_again(number, halo, entry.bytes() + own.count() * entry.is.extent);
    }

    /// What all processes have is checked by one of them each.
    Done read_whole(std::size_t number, const Entry &entry, plan::Range checked) {
        const plan::Range before{0, checked.first}, behind{checked.end, entry.is.elements()};
        const auto at = [&](std::int64_t element) { return entry.bytes() + element * entry.is.extent; };
        auto done = reader_.read(number, checked, at(checked.first));
        if (done) done = reader_.read_again(number, before, at(0));
        if (done) done = reader_.read_again(number, behind, at(behind.first));
        return done;
    }

    Done read_dealt(std::size_t number, const Entry &entry, const plan::Distribution &distribution, bool is_fine) {
        const GlobalOrder order(comm_, distribution, entry.is.extent);
        const auto fill = [&](plan::Range elements, std::byte *bytes) {
            return is_fine ? reader_.read(number, elements, bytes) : Done{};
        };
        return order.scatter(fill, entry.bytes());
    }

    Done check_checksums() {
        const auto pieces = gathered(comm_, reader_.pieces());
        if (!pieces) return tl::unexpected(pieces.error());
        return mpi::share_outcome(comm_, 0, rank_ == 0 ? reader_.check_checksums(*pieces) : Done{});
    }

    JobState &job_;
    MPI_Comm comm_;
    int rank_, ranks_;
    bool is_damaged_ = false, is_damaged_here_ = false;
    Found &found_;
    const EpochDocument &document_;
    EpochReader reader_;
    Entries entries_;
    std::vector<LoadedPieces> own_;
};

/// The epoch before, where there is one that is complete.
std::string hint(const ChosenEpoch &chosen) {
    const SaveFolder folder(epochs::disk(), chosen.folder);
    const auto numbers = folder.epochs();
    if (!numbers) return "";
    for (auto number = numbers->rbegin(); number != numbers->rend(); ++number)
        if (*number < chosen.epoch) return "; an earlier epoch is " + folder.folder_of(*number).string();
    return "";
}

/// Collective: what is damaged is gone, and there is a copy, or an epoch before. Where there is no room for what a host
/// lacks, the epochs before go.
Result<Found> resumed_from_hosts(JobState &job, const std::string &folder) {
    const auto tell = [&](const std::string &line) {
        if (job.generation.control.rank() == 0) print_line("nereus", line);
    };
    bool has_room = false;
    while (true) {
        auto found = found_on_hosts(job.generation.control, folder);
        if (!found) return found;
        Resuming resuming(job, *found);
        const Done done = resuming.resume();
        if (done) return found;
        SaveFolder own(epochs::disk(), found->chosen.folder);
        const std::uint64_t epoch = found->chosen.epoch;
        if (resuming.is_damaged() && done.error().code == NEREUS_ERR_MISMATCH) {
            tell("an epoch in memory is damaged: " + done.error().what);
            auto withdrawn = found->fetch->withdraw(own, epoch, resuming.is_damaged_here());
            if (!withdrawn) return tl::unexpected(withdrawn.error());
        } else if (done.error().code == NEREUS_ERR_STATE && !has_room) {
            has_room = true;
            tell("it is tried again without earlier epochs in memory: " + done.error().what);
            if (found->checks_files) own.keep_only(epoch);
        } else {
            return tl::unexpected(done.error());
        }
    }
}

Result<Found> resumed_from_folder(JobState &job, const std::string &folder) {
    auto found = found_epoch(job.generation.control, folder);
    if (!found) return found;
    const Done done = Resuming(job, *found).resume();
    if (done) return found;
    if (done.error().code != NEREUS_ERR_MISMATCH) return tl::unexpected(done.error());
    return failed(done.error().code, done.error().what + hint(found->chosen));
}

}

Result<std::optional<RestartRecord>> resume(JobState &job, const std::string &folder) {
    if (job.settings.start_ranks > 0 && job.settings.start_ranks != job.generation.control.size())
        return failed(NEREUS_ERR_SETTING, "resume: does not go together with start-ranks (release unit `rank`)");
    const bool is_on_hosts = continues_from_hosts(job.settings) && folder == job.settings.resume;
    auto found = is_on_hosts ? resumed_from_hosts(job, folder) : resumed_from_folder(job, folder);
    if (!found) return tl::unexpected(found.error());
    job.iteration = found->document.iteration;
    job.io_phases = static_cast<std::uint64_t>(found->document.io_phases);
    job.says_io = found->document.says_io;
    job.generation.number = found->document.generation + 1;
    job.resumed = true;
    return found->document.restart;
}

}
