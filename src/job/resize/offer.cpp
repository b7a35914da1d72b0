// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/offer.hpp"

#include "job/data/values.hpp"
#include "job/state/checked_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int version = 6;

json as_json(const plan::Shape &shape) {
    return {{"layout", static_cast<int>(shape.layout)},
            {"elements", shape.elements},
            {"weights", shape.weights},
            {"block", shape.block},
            {"rows", shape.rows},
            {"columns", shape.columns},
            {"block_rows", shape.block_rows},
            {"block_columns", shape.block_columns}};
}

json as_json(const Entry &entry) {
    return {{"name", entry.is.name},         {"value", entry.is.value},
            {"constant", entry.is.constant}, {"shared", entry.is.shared},
            {"extent", entry.is.extent},     {"shape", as_json(entry.is.shape)},
            {"halo", entry.is.halo},         {"rows_of", entry.is.rows_of},
            {"borders", entry.borders},      {"next_borders", entry.next_borders}};
}

/// Room for what comes at the commit.
void make_room(Entry &entry) {
    if (entry.is.elements() > most_in_value) throw std::out_of_range("a value has too many elements");
    entry.data = entry.memory.allocate(static_cast<std::size_t>(entry.is.bytes()), nullptr);
    if (entry.data == nullptr) throw std::bad_alloc();
}

plan::Shape shape_from(const json &in, std::int64_t most_elements) {
    plan::Shape shape;
    shape.layout = static_cast<plan::Layout>(whole(in, "layout", 0));
    shape.elements = whole<std::int64_t>(in, "elements", 0, most_elements);
    shape.weights = in.at("weights").get<std::vector<std::int64_t>>();
    shape.block = whole<std::int64_t>(in, "block", 1);
    shape.rows = whole<std::int64_t>(in, "rows", 0);
    shape.columns = whole<std::int64_t>(in, "columns", 0);
    shape.block_rows = whole<std::int64_t>(in, "block_rows", 1);
    shape.block_columns = whole<std::int64_t>(in, "block_columns", 1);
    if (auto done = plan::check(shape); !done) throw std::out_of_range(done.error().what);
    return shape;
}

/// Where the parts of columns or values begin, or of rows that were balanced; other arrays have none.
std::vector<std::int64_t> borders_from(const json &in, const Description &is, int ranks) {
    auto borders = in.get<std::vector<std::int64_t>>();
    if (is.rows_of.empty() && borders.empty()) return borders;
    const plan::Layout layout = is.rows_of.empty() ? plan::Layout::weighted : plan::Layout::block;
    if (is.value || is.shape.layout != layout) throw std::out_of_range("borders of what has none");
    if (auto done = plan::check_borders(borders); !done) throw std::out_of_range(done.error().what);
    if (std::ssize(borders) != ranks + std::int64_t{1} || borders.back() != is.shape.elements)
        throw std::out_of_range("borders of another number of processes or elements");
    return borders;
}

Entry entry_from(const json &in, const plan::Sizes &sizes) {
    Entry entry;
    const auto extent = whole<std::int64_t>(in, "extent", 1);
    const auto halo = whole<std::int64_t>(in, "halo", 0, 1);
    const auto most_elements = std::min(plan::most_elements, INT64_MAX / extent) - halo;
    entry.is = {
        in.at("name"), in.at("value"), in.at("constant"), in.at("shared"), shape_from(in.at("shape"), most_elements),
        extent,        halo,           in.at("rows_of")};
    entry.borders = borders_from(in.at("borders"), entry.is, sizes.sources);
    entry.next_borders = borders_from(in.at("next_borders"), entry.is, sizes.drains);
    if (halo > 0 && (!entry.is.over(1).contiguous() || entry.is.shape.layout == plan::Layout::replicated))
        throw std::out_of_range("no array of this layout has a halo");
    entry.memory = library_memory();
    if (entry.is.value) make_room(entry);
    if (entry.is.shared && !entry.is.over(1).contiguous()) throw std::out_of_range("no array of this layout is shared");
    return entry;
}

/// Each source goes on as one drain at most.
bool is_numbering(const plan::Sizes &sizes) {
    std::set<int> seen;
    for (const int source : sizes.kept)
        if (source < -1 || source >= sizes.sources || (source >= 0 && !seen.insert(source).second)) return false;
    return sizes.kept.empty() || static_cast<int>(seen.size()) == std::min(sizes.sources, sizes.drains);
}

/// Each newcomer becomes a drain that no source goes on as.
bool fill_the_rest(const plan::Sizes &sizes) {
    if (sizes.newcomers_as.empty()) return true;
    if (!sizes.anew && sizes.kept.empty()) return false;
    std::set<int> seen;
    for (const int drain : sizes.newcomers_as)
        if (drain < 0 || drain >= sizes.drains || sizes.source_at(drain) || !seen.insert(drain).second) return false;
    return static_cast<int>(seen.size()) == sizes.newcomers();
}

/// The texts are checked as those of a user are, but the job has settled what a user may leave open.
Settings settings_from(const json &in, const Settings &own) {
    auto settings = with_settings_of_job(own, in.at("settings").get<std::map<std::string, std::string>>());
    if (!settings) throw std::out_of_range(settings.error().what);
    if (settings->memory == memory_auto) throw std::out_of_range("memory = auto: allowed is shared, private");
    settings->memory_key = in.at("memory_key");
    return *settings;
}

/// Lists that are looked up by the numbers of processes.
void check_lists(const Offer &offer) {
    const auto has = [](const auto &list, int wanted) { return list.size() == static_cast<std::size_t>(wanted); };
    if (!has(offer.source_hosts, offer.sizes.sources) || !has(offer.hosts, offer.sizes.drains) ||
        !has(offer.worlds, offer.sizes.drains) ||
        (!offer.sizes.kept.empty() && !has(offer.sizes.kept, offer.sizes.drains)))
        throw std::out_of_range("lists that do not have a place for each process");
    if (!is_numbering(offer.sizes) || !fill_the_rest(offer.sizes))
        throw std::out_of_range("a numbering of the drains that cannot be");
    if (!offer.handles.is_object()) throw std::out_of_range("handles = " + offer.handles.dump());
}

}

mpi::Bytes pack_rolled_back(const std::string &why) { return json::to_msgpack({{"rolled_back", why}}); }

mpi::Bytes pack(const Offer &offer, const std::vector<Entry> &entries) {
    json list = json::array();
    for (const Entry &entry : entries) list.push_back(as_json(entry));
    return json::to_msgpack({{"version", version},
                             {"generation", offer.generation},
                             {"sources", offer.sizes.sources},
                             {"drains", offer.sizes.drains},
                             {"anew", offer.sizes.anew},
                             {"transfer_method", offer.transfer_choice.method},
                             {"transfer_strategy", offer.transfer_choice.strategy},
                             {"settings", texts_of_job(offer.settings)},
                             {"memory_key", offer.settings.memory_key},
                             {"worlds", offer.worlds},
                             {"kept", offer.sizes.kept},
                             {"newcomers_as", offer.sizes.newcomers_as},
                             {"source_hosts", offer.source_hosts},
                             {"hosts", offer.hosts},
                             {"redistributions", offer.redistributions},
                             {"handles", offer.handles},
                             {"entries", list}});
}

Result<Unpacked> unpack_offer(const mpi::Bytes &bytes, const Settings &own) try {
    const json in = json::from_msgpack(bytes);
    if (in.contains("rolled_back")) return failed(NEREUS_ERR_STATE, in.at("rolled_back"));
    if (in.at("version") != version)
        return failed(NEREUS_ERR_MISMATCH, "the job speaks version " + in.at("version").dump() +
                                               " of the offer and this newcomer version " + std::to_string(version));
    Unpacked unpacked;
    Offer &offer = unpacked.offer;
    offer.generation = whole<std::int64_t>(in, "generation", -1);
    offer.sizes = {whole(in, "sources", 1), whole(in, "drains", 1), in.at("anew"),
                   in.at("kept").get<std::vector<int>>(), in.at("newcomers_as").get<std::vector<int>>()};
    offer.transfer_choice = {whole<int>(in, "transfer_method", 0, NEREUS_TRANSFER_AUTO - 1),
                             whole<int>(in, "transfer_strategy", 0, NEREUS_STRATEGY_AUTO - 1)};
    offer.settings = settings_from(in, own);
    offer.worlds = in.at("worlds").get<std::vector<plan::World>>();
    offer.source_hosts = in.at("source_hosts").get<std::vector<std::string>>();
    offer.hosts = in.at("hosts").get<std::vector<std::string>>();
    offer.redistributions = in.at("redistributions").get<std::vector<std::string>>();
    offer.handles = in.at("handles");
    check_lists(offer);
    for (const json &entry : in.at("entries")) unpacked.entries.push_back(entry_from(entry, offer.sizes));
    return unpacked;
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the job's offer cannot be read: ") + problem.what());
}

}
