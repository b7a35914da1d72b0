// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/own_pieces.hpp"

#include "base/printable.hpp"
#include "job/data/registry.hpp"
#include "mpi/share.hpp"
#include "plan/distribution.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <utility>

namespace nereus::job {
namespace {

constexpr std::string_view suffix_of_starts = " starts", suffix_of_bytes = " bytes";
constexpr std::size_t longest_own_name = longest_name - suffix_of_starts.size();
static_assert(longest_own_name == NEREUS_MAX_SAVE_NAME);
constexpr std::int64_t most_pieces_of_rank = std::int64_t{1} << 40;

struct OwnFunctions {
    nereus_save_pieces save;
    nereus_load_pieces load;
    void *context;
};

/// Of the process, since founders that continue have no job yet when they take their pieces.
std::map<std::string, OwnFunctions> &own_functions() {
    static std::map<std::string, OwnFunctions> all;
    return all;
}

std::string where(const std::string &name) { return "the application's function of nereus_on_save(\"" + name + "\") "; }

/// What an application says is not believed.
bool can_be(const nereus_pieces &pieces) {
    if (pieces.count < 0 || pieces.count > most_pieces_of_rank) return false;
    if (pieces.count == 0) return true;
    if (pieces.starts == nullptr || pieces.starts[0] != 0) return false;
    if (!std::is_sorted(pieces.starts, pieces.starts + pieces.count + 1)) return false;
    return pieces.bytes != nullptr || pieces.starts[pieces.count] == 0;
}

std::int64_t bytes_of(const nereus_pieces &pieces) { return pieces.count == 0 ? 0 : pieces.starts[pieces.count]; }

Result<nereus_pieces> handed_out(const std::string &name, const OwnFunctions &functions) {
    nereus_pieces pieces{};
    if (const int said = functions.save(&pieces, functions.context); said != 0)
        return failed(NEREUS_ERR_TRANSFER, where(name) + "refused with " + std::to_string(said));
    if (can_be(pieces)) return pieces;
    return failed(NEREUS_ERR_ARGUMENT, where(name) + "hands out pieces that cannot be: allowed are a count of 0 .. "
                                                     "2^40, and starts from 0 that do not descend");
}

/// Collective: others would wait in a function that a process does not have.
Done agree_on_names(MPI_Comm comm) {
    std::string text;
    for (const std::string &name : names_of_own_pieces()) text += name + '\0';
    const mpi::Bytes own(text.begin(), text.end());
    const auto wanted = mpi::share(comm, 0, own);
    if (!wanted) return tl::unexpected(wanted.error());
    return mpi::agree(comm, own == *wanted ? Done{}
                                           : failed(NEREUS_ERR_MISMATCH, "processes have functions of nereus_on_save() "
                                                                         "for different names, one for " +
                                                                             quoted(names_of_own_pieces())));
}

/// Collective: pieces and bytes of each rank.
Result<std::vector<std::int64_t>> of_all(MPI_Comm comm, int ranks, const nereus_pieces &own) {
    const std::int64_t mine[] = {own.count, bytes_of(own)};
    std::vector<std::int64_t> all(2 * static_cast<std::size_t>(ranks));
    auto done = mpi::check(MPI_Allgather(mine, 2, MPI_INT64_T, all.data(), 2, MPI_INT64_T, comm), "MPI_Allgather");
    if (!done) return tl::unexpected(done.error());
    return all;
}

}

std::int64_t SavedPieces::count() const { return std::accumulate(counts.begin(), counts.end(), std::int64_t{0}); }

plan::Range SavedPieces::of(int rank, int ranks) const {
    if (ranks != std::ssize(counts)) return plan::Distribution(plan::Layout::block, count(), ranks).range_of(rank);
    const std::int64_t first = std::accumulate(counts.begin(), counts.begin() + rank, std::int64_t{0});
    return {first, first + counts[static_cast<std::size_t>(rank)]};
}

std::vector<epochs::ArrayForm> SavedPieces::forms() const {
    return {{name + std::string(suffix_of_starts), "int64", count() + 1, sizeof(std::int64_t)},
            {name + std::string(suffix_of_bytes), "uint8", bytes, 1}};
}

std::vector<std::string> names_of_own_pieces() {
    std::vector<std::string> names;
    for (const auto &[name, functions] : own_functions()) names.push_back(name);
    return names;
}

Done check_functions(const std::vector<SavedPieces> &saved) {
    std::vector<std::string> wanted;
    for (const SavedPieces &each : saved) wanted.push_back(each.name);
    if (wanted == names_of_own_pieces()) return {};
    return failed(NEREUS_ERR_MISMATCH, "this program has functions of nereus_on_save() for " +
                                           quoted(names_of_own_pieces()) + " where the epoch has data of " +
                                           quoted(wanted));
}

Result<OwnPieces> OwnPieces::hand_out(MPI_Comm comm) {
    OwnPieces pieces;
    MPI_Comm_rank(comm, &pieces.rank_);
    MPI_Comm_size(comm, &pieces.ranks_);
    if (auto done = agree_on_names(comm); !done) return tl::unexpected(done.error());
    for (const auto &[name, functions] : own_functions()) {
        auto own = handed_out(name, functions);
        const Done fine = own ? Done{} : Done(tl::unexpected(own.error()));
        if (auto done = mpi::agree(comm, fine); !done) return tl::unexpected(done.error());
        const auto all = of_all(comm, pieces.ranks_, *own);
        if (!all) return tl::unexpected(all.error());
        SavedPieces saved{name, {}, 0};
        std::int64_t before = 0;
        for (int rank = 0; rank < pieces.ranks_; ++rank) {
            if (rank == pieces.rank_) before = saved.bytes;
            saved.counts.push_back((*all)[2 * static_cast<std::size_t>(rank)]);
            saved.bytes += (*all)[2 * static_cast<std::size_t>(rank) + 1];
        }
        pieces.saved_.push_back(std::move(saved));
        pieces.own_.push_back(*own);
        pieces.bytes_before_.push_back(before);
    }
    return pieces;
}

std::int64_t OwnPieces::bytes() const {
    std::int64_t sum = 0;
    for (const SavedPieces &each : saved_) sum += each.bytes;
    return sum;
}

Done OwnPieces::write(epochs::EpochWriter &writer, std::size_t array) const {
    for (std::size_t number = 0; number < saved_.size(); ++number, array += 2)
        if (auto done = write_one(writer, array, number); !done) return done;
    return {};
}

/// Starts count in all bytes; the last rank writes the end of all.
Done OwnPieces::write_one(epochs::EpochWriter &writer, std::size_t array, std::size_t number) const {
    const nereus_pieces &own = own_[number];
    const std::int64_t before = bytes_before_[number], bytes = bytes_of(own);
    const plan::Range pieces = saved_[number].of(rank_, ranks_);
    std::vector<std::int64_t> starts;
    for (std::int64_t i = 0; i < own.count; ++i) starts.push_back(before + own.starts[i]);
    if (rank_ == ranks_ - 1) starts.push_back(before + bytes);
    const plan::Range written{pieces.first, pieces.first + std::ssize(starts)};
    auto done = writer.write(array, written, reinterpret_cast<const std::byte *>(starts.data()));
    if (done && bytes > 0)
        done = writer.write(array + 1, {before, before + bytes}, static_cast<const std::byte *>(own.bytes));
    return done;
}

plan::Range LoadedPieces::starts_of(const SavedPieces &saved, int rank, int ranks) {
    const plan::Range pieces = saved.of(rank, ranks);
    return {pieces.first, pieces.end + 1};
}

/// Each element is read for the checksum by one rank: the end of a rank's pieces is the start of the next one's.
Result<LoadedPieces> LoadedPieces::with_starts(epochs::EpochReader &reader, const SavedPieces &saved, std::size_t array,
                                               int rank, int ranks) {
    LoadedPieces loaded;
    loaded.name_ = saved.name;
    const plan::Range all = starts_of(saved, rank, ranks);
    const bool is_last = rank == ranks - 1;
    loaded.starts_.resize(static_cast<std::size_t>(all.count()));
    auto *const starts = reinterpret_cast<std::byte *>(loaded.starts_.data());
    const plan::Range checked{all.first, all.end - (is_last ? 0 : 1)};
    auto done = reader.read(array, checked, starts);
    if (done && !is_last)
        done = reader.read_again(array, {checked.end, all.end},
                                 starts + checked.count() * std::int64_t{sizeof(std::int64_t)});
    if (!done) return tl::unexpected(done.error());
    const plan::Range bytes = loaded.bytes();
    const bool fits = std::ranges::is_sorted(loaded.starts_) && bytes.first >= 0 && bytes.end <= saved.bytes &&
                      (rank != 0 || bytes.first == 0) && (!is_last || bytes.end == saved.bytes);
    if (!fits) return failed(NEREUS_ERR_MISMATCH, "the epoch's \"" + saved.name + " starts\" cannot be");
    return loaded;
}

Done LoadedPieces::read_bytes(epochs::EpochReader &reader, std::size_t array) {
    const plan::Range bytes = this->bytes();
    bytes_.resize(static_cast<std::size_t>(bytes.count()));
    for (std::int64_t &start : starts_) start -= bytes.first;
    return reader.read(array, bytes, bytes_.data());
}

Done LoadedPieces::hand_over(MPI_Comm comm) const {
    const OwnFunctions &functions = own_functions().at(name_);
    const nereus_pieces pieces{std::ssize(starts_) - 1, starts_.data(), bytes_.data()};
    const int said = functions.load(comm, &pieces, functions.context);
    return said == 0 ? Done{} : failed(NEREUS_ERR_TRANSFER, where(name_) + "refused with " + std::to_string(said));
}

}

extern "C" int nereus_on_save(const char *name, nereus_save_pieces save, nereus_load_pieces load, void *context) try {
    if (name == nullptr || *name == '\0' || std::strlen(name) > nereus::job::longest_own_name || save == nullptr ||
        load == nullptr)
        return NEREUS_ERR_ARGUMENT;
    nereus::job::own_functions()[name] = {save, load, context};
    return NEREUS_OK;
} catch (const std::bad_alloc &) {
    return NEREUS_ERR_MEMORY;
}
