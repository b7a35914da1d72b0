// SPDX-License-Identifier: BSD-3-Clause
#include "job/saving/epoch_document.hpp"

#include "job/data/entry_form.hpp"
#include "job/data/shared_arrays.hpp"
#include "job/state/checked_json.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <stdexcept>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int document_format = 1;
constexpr std::int64_t most_pieces = std::int64_t{1} << 56; ///< of all ranks: their starts can be counted in bytes

json entry_as_json(const SavedEntry &entry) {
    json out = description_as_json(entry.is);
    out["own_memory"] = entry.own_memory;
    if (entry.kept.file) out["kept"] = memory::as_json(*entry.kept.file);
    if (entry.kept.copy) out["copy"] = memory::as_json(*entry.kept.copy);
    return out;
}

memory::Handle kept_from(const json &in, const Description &is) {
    auto handle = memory::handle_from(in);
    if (!handle) throw std::out_of_range(handle.error().what);
    if (!can_be_shared(is) || handle->bytes != is.bytes()) throw std::out_of_range(is.name + " is not in that memory");
    return std::move(*handle);
}

SavedEntry entry_from(const json &in) {
    SavedEntry entry{description_from(in), in.at("own_memory")};
    if (in.contains("kept")) entry.kept.file = kept_from(in.at("kept"), entry.is);
    if (in.contains("copy")) entry.kept.copy = kept_from(in.at("copy"), entry.is);
    if (entry.kept.copy && !entry.kept.file) throw std::out_of_range(entry.is.name + " has a copy, and no memory");
    if (entry.is.name.empty() || entry.is.name.size() > longest_name || entry.is.name.find('\0') != std::string::npos)
        throw std::out_of_range("name = " + entry.is.name.substr(0, longest_name) + ": has 1 to 63 characters");
    return entry;
}

json own_as_json(const SavedPieces &own) { return {{"name", own.name}, {"counts", own.counts}, {"bytes", own.bytes}}; }

/// Whether their sum is allowed, too.
bool are_counts(const std::vector<std::int64_t> &counts) {
    std::int64_t rest = most_pieces;
    return std::ranges::all_of(counts, [&rest](std::int64_t count) {
        const bool fits = count >= 0 && count <= rest;
        if (fits) rest -= count;
        return fits;
    });
}

SavedPieces own_from(const json &in, int ranks) {
    SavedPieces own{in.at("name"), in.at("counts").get<std::vector<std::int64_t>>(),
                    whole<std::int64_t>(in, "bytes", 0)};
    if (own.name.empty() || std::ssize(own.counts) != ranks || !are_counts(own.counts))
        throw std::out_of_range("own = " + in.dump().substr(0, 100) + ": a name, and a count of each rank");
    return own;
}

/// Columns and values follow the starts of their rows.
void check(const std::vector<SavedEntry> &entries) {
    std::set<std::string> starts;
    for (const SavedEntry &entry : entries) {
        if (entry.is.halo > 0) starts.insert(entry.is.name);
        if (entry.is.rows_of.empty()) continue;
        if (!starts.contains(entry.is.rows_of)) throw std::out_of_range(entry.is.name + " has no rows");
        if (entry.is.shape.layout != plan::Layout::block || entry.is.value)
            throw std::out_of_range(entry.is.name + " is no part of a matrix");
    }
}

}

json as_json(const std::vector<epochs::ChunkPiece> &pieces) {
    json out = json::array();
    for (const epochs::ChunkPiece &piece : pieces)
        out.push_back({piece.array, piece.chunk, piece.place, piece.bytes, piece.checksum});
    return out;
}

std::vector<epochs::ChunkPiece> pieces_from(const json &in, const std::vector<epochs::ArrayForm> &forms) {
    std::vector<epochs::ChunkPiece> pieces;
    for (const json &piece : in) {
        const auto [array, chunk, place, bytes, checksum] = piece.get<std::array<std::int64_t, 5>>();
        pieces.push_back({array, chunk, place, bytes, static_cast<std::uint32_t>(checksum)});
        if (piece.size() != 5 || checksum != pieces.back().checksum || !epochs::lies_in(forms, pieces.back()))
            throw std::out_of_range("held = " + piece.dump().substr(0, 100) + ": is no piece of an array");
    }
    return pieces;
}

Done check_array_names(const EpochDocument &document) {
    std::set<std::string> names;
    for (const epochs::ArrayForm &form : forms_of(document))
        if (!names.insert(form.name).second)
            return failed(NEREUS_ERR_MISMATCH, "the epoch cannot be: two of its arrays are called " + form.name);
    return {};
}

std::string as_text(const EpochDocument &document) {
    json entries = json::array();
    for (const SavedEntry &entry : document.entries) entries.push_back(entry_as_json(entry));
    json out{{"format", document_format},
             {"epoch", document.epoch},
             {"iteration", document.iteration},
             {"generation", document.generation},
             {"io_phases", document.io_phases},
             {"says_io", document.says_io},
             {"ranks", document.ranks},
             {"program", document.program},
             {"mpi", document.mpi},
             {"saved_unix", document.saved_unix},
             {"entries", entries}};
    if (!document.own.empty()) {
        out["own"] = json::array();
        for (const SavedPieces &own : document.own) out["own"].push_back(own_as_json(own));
    }
    if (document.restart) out["restart"] = as_json(*document.restart);
    if (document.held) out["held"] = as_json(*document.held);
    return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<EpochDocument> document_from(const std::string &text) try {
    const json in = json::parse(text);
    if (in.at("format") != document_format)
        return failed(NEREUS_ERR_MISMATCH, "the epoch has format " + in.at("format").dump().substr(0, 40) +
                                               ": this version reads " + std::to_string(document_format));
    EpochDocument document;
    document.epoch = static_cast<std::uint64_t>(whole<std::int64_t>(in, "epoch", 1));
    document.iteration = whole<std::int64_t>(in, "iteration", 0);
    document.generation = whole<std::int64_t>(in, "generation", 0, std::numeric_limits<std::int64_t>::max() - 1);
    document.io_phases = whole<std::int64_t>(in, "io_phases", 0);
    document.says_io = in.at("says_io");
    document.ranks = whole(in, "ranks", 1);
    document.program = in.at("program");
    document.mpi = in.at("mpi");
    document.saved_unix = in.at("saved_unix");
    for (const json &entry : in.at("entries")) document.entries.push_back(entry_from(entry));
    check(document.entries);
    if (in.contains("own"))
        for (const json &own : in.at("own")) document.own.push_back(own_from(own, document.ranks));
    if (auto done = check_array_names(document); !done) return tl::unexpected(done.error());
    if (in.contains("restart")) document.restart = restart_record_from(in.at("restart"));
    if (in.contains("held")) document.held = pieces_from(in.at("held"), forms_of(document));
    return document;
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the epoch cannot be read: ") + problem.what());
}

std::vector<epochs::ArrayForm> forms_of(const EpochDocument &document) {
    std::vector<epochs::ArrayForm> forms;
    for (const SavedEntry &entry : document.entries)
        forms.push_back({entry.is.name, entry.is.type, entry.kept.file ? 0 : entry.is.elements(), entry.is.extent});
    for (const SavedPieces &own : document.own)
        for (epochs::ArrayForm &form : own.forms()) forms.push_back(std::move(form));
    return forms;
}

}
