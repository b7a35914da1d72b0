// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_search.hpp"

#include "base/printable.hpp"
#include "epochs/epoch_reader.hpp"
#include "epochs/epoch_writer.hpp"
#include "mpi/share.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace nereus::job {
namespace {

using epochs::ChunkPiece;
using epochs::SaveFolder;
using nlohmann::json;

SaveFolder folder_of(const HostFolders &folders) { return {epochs::disk(), folders.own()}; }

/// Collective: the newest number below `below` that some host has; 0: there is none.
Result<std::uint64_t> newest_below(MPI_Comm comm, const HostFolders &folders, std::uint64_t below) {
    std::uint64_t newest = 0;
    if (folders.leads())
        for (const std::uint64_t number : folder_of(folders).epochs().value_or(std::vector<std::uint64_t>{}))
            if (number < below) newest = number;
    auto done = mpi::check(MPI_Allreduce(MPI_IN_PLACE, &newest, 1, MPI_UINT64_T, MPI_MAX, comm), "MPI_Allreduce");
    if (!done) return tl::unexpected(done.error());
    return newest;
}

/// What this host's epoch says of itself, on the process that leads here; empty: it has none, or one that is damaged.
mpi::Bytes own_text(const HostFolders &folders, std::uint64_t epoch) {
    if (!folders.leads()) return {};
    const auto text = epochs::document_of(folder_of(folders), epoch);
    return text ? mpi::Bytes(text->begin(), text->end()) : mpi::Bytes{};
}

/// All hosts say the same but for the pieces that they have.
std::string text_without_pieces(EpochDocument document) {
    document.held.emplace();
    return as_text(document);
}

using PiecesOfHosts = std::vector<std::vector<ChunkPiece>>;

/// On rank 0: the epoch as its hosts describe it, who must agree on all but on the pieces that they have. A host that
/// was without processes for a while may have another one of that number.
class Described {
public:
    /// @param texts  of each rank
    Described(const HostFolders &folders, const std::vector<mpi::Bytes> &texts) : hosts_(folders.ranks().size()) {
        for (std::size_t host = 0; host < hosts_; ++host) {
            const mpi::Bytes &text = texts[static_cast<std::size_t>(folders.ranks()[host].front())];
            if (!text.empty()) take(host, std::string(text.begin(), text.end()));
        }
    }

    /// NEREUS_ERR_STATE where it is not whole.
    Result<mpi::Bytes> packed() const {
        std::string why = "no host can describe it";
        for (const auto &[text, pieces] : found_) {
            const auto document = document_from(text);
            if (!document) return tl::unexpected(document.error());
            const auto whole = PieceHolders(forms_of(*document), pieces).checksums();
            if (!whole) {
                why = whole.error().what;
                continue;
            }
            json hosts = json::array();
            for (const std::vector<ChunkPiece> &of_host : pieces) hosts.push_back(as_json(of_host));
            return json::to_msgpack({{"document", text}, {"hosts", std::move(hosts)}});
        }
        return failed(NEREUS_ERR_STATE, why);
    }

private:
    void take(std::size_t host, const std::string &text) {
        auto document = document_from(text);
        if (!document || !document->held) return;
        found_.try_emplace(text_without_pieces(*document), hosts_).first->second[host] = std::move(*document->held);
    }

    std::size_t hosts_;
    std::map<std::string, PiecesOfHosts> found_; ///< by what hosts say, with no pieces
};

Result<EpochOnHosts> unpacked(std::uint64_t epoch, const mpi::Bytes &bytes) try {
    const json in = json::from_msgpack(bytes);
    auto document = document_from(in.at("document"));
    if (!document) return tl::unexpected(document.error());
    const auto forms = forms_of(*document);
    PiecesOfHosts of_hosts;
    for (const json &pieces : in.at("hosts")) of_hosts.push_back(pieces_from(pieces, forms));
    PieceHolders holders(forms, of_hosts);
    return EpochOnHosts{epoch, std::move(*document), std::move(holders)};
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the epoch cannot be read: ") + problem.what());
}

/// Collective. NEREUS_ERR_STATE where it is not whole.
Result<EpochOnHosts> described(const mpi::Comm &control, const HostFolders &folders, std::uint64_t epoch) {
    const auto texts = mpi::gather(control.get(), 0, own_text(folders, epoch));
    if (!texts) return tl::unexpected(texts.error());
    const auto own = control.rank() == 0 ? Described(folders, *texts).packed() : Result<mpi::Bytes>(mpi::Bytes{});
    const auto bytes = mpi::share_result(control.get(), 0, own);
    if (!bytes) return tl::unexpected(bytes.error());
    return unpacked(epoch, *bytes);
}

/// On the process that leads here: newer epochs go, of which something is missing, and one without elements comes
/// where this host has none of it.
Done prepare_here(SaveFolder folder, const EpochOnHosts &found) {
    if (auto done = folder.prepare(); !done) return done;
    const auto numbers = folder.epochs();
    if (!numbers) return tl::unexpected(numbers.error());
    for (const std::uint64_t number : *numbers)
        if (number > found.epoch) folder.withdraw(number);
    const auto own = epochs::document_of(folder, found.epoch);
    const auto document = own ? document_from(*own) : Result<EpochDocument>(tl::unexpected(own.error()));
    if (document && text_without_pieces(*document) == as_text(found.document)) return {};
    if (std::ranges::binary_search(*numbers, found.epoch)) folder.withdraw(found.epoch);
    epochs::EpochWriter writer(folder, found.epoch, forms_of(found.document));
    if (auto done = writer.begin(); !done) return done;
    return writer.complete(found.holders.pieces(), as_text(found.document));
}

}

Result<EpochOnHosts> find_on_hosts(const mpi::Comm &control, const HostFolders &folders) {
    if (auto done = mpi::agree(control.get(), folders.check_own()); !done) return tl::unexpected(done.error());
    std::string why;
    auto number = newest_below(control.get(), folders, UINT64_MAX);
    while (number && *number != 0) {
        auto found = described(control, folders, *number);
        if (found) {
            if (!why.empty() && control.rank() == 0)
                print_line("nereus", "an earlier epoch in memory is taken, number " + std::to_string(*number) + why);
            const Done ready = folders.leads() ? prepare_here(folder_of(folders), *found) : Done{};
            if (auto done = mpi::agree(control.get(), ready); !done) return tl::unexpected(done.error());
            return found;
        }
        if (why.empty()) why = ": epoch " + std::to_string(*number) + " lacks something: " + found.error().what;
        number = newest_below(control.get(), folders, *number);
    }
    if (!number) return tl::unexpected(number.error());
    return failed(NEREUS_ERR_SETTING, "no epoch in memory of the job's hosts is whole" + why);
}

}
