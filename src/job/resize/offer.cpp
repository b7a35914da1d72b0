// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/offer.hpp"

#include "job/data/entry_form.hpp"
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

constexpr int offer_version = 10;

json as_json(const Entry &entry) {
    json out = description_as_json(entry.is);
    out["shared"] = entry.is.shared;
    out["borders"] = entry.borders;
    out["next_borders"] = entry.next_borders;
    return out;
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
    Description is = description_from(in);
    is.shared = in.at("shared");
    if (is.shared && !is.over(1).contiguous()) throw std::out_of_range("no array of this layout is shared");
    auto borders = borders_from(in.at("borders"), is, sizes.sources);
    auto next_borders = borders_from(in.at("next_borders"), is, sizes.drains);
    Entry entry = entry_of(std::move(is)); // takes memory, so that nothing may be refused from here on
    entry.borders = std::move(borders);
    entry.next_borders = std::move(next_borders);
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
    return json::to_msgpack({{"version", offer_version},
                             {"generation", offer.generation},
                             {"sources", offer.sizes.sources},
                             {"drains", offer.sizes.drains},
                             {"anew", offer.sizes.anew},
                             {"transfer_method", offer.transfer_choice.method},
                             {"transfer_strategy", offer.transfer_choice.strategy},
                             {"settings", texts_of_job(offer.settings)},
                             {"memory_key", offer.settings.memory_key},
                             {"first_world", offer.first_world},
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
    if (in.at("version") != offer_version)
        return failed(NEREUS_ERR_MISMATCH, "the job speaks version " + in.at("version").dump() +
                                               " of the offer and this newcomer version " +
                                               std::to_string(offer_version));
    Unpacked unpacked;
    Offer &offer = unpacked.offer;
    offer.generation = whole<std::int64_t>(in, "generation", -1);
    offer.sizes = {whole(in, "sources", 1), whole(in, "drains", 1), in.at("anew"),
                   in.at("kept").get<std::vector<int>>(), in.at("newcomers_as").get<std::vector<int>>()};
    offer.transfer_choice = {whole<int>(in, "transfer_method", 0, NEREUS_TRANSFER_AUTO - 1),
                             whole<int>(in, "transfer_strategy", 0, NEREUS_STRATEGY_AUTO - 1)};
    offer.settings = settings_from(in, own);
    offer.first_world = in.at("first_world").get<plan::World>();
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
