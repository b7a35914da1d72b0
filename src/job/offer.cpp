// SPDX-License-Identifier: BSD-3-Clause
#include "job/offer.hpp"

#include <cstdlib>
#include <cstring>

namespace nereus::job {
namespace {

using nlohmann::json;

constexpr int version = 1;

json as_json(const Entry &entry) {
    json out{{"name", entry.is.name},         {"value", entry.is.value},
             {"constant", entry.is.constant}, {"replicated", entry.is.layout == plan::Layout::replicated},
             {"elements", entry.is.elements}, {"extent", entry.is.extent}};
    if (entry.is.value) {
        const auto *first = static_cast<const std::uint8_t *>(entry.data);
        out["bytes"] = json::binary(mpi::Bytes(first, first + entry.is.bytes()));
    }
    return out;
}

Entry entry_from(const json &in) {
    Entry entry;
    entry.is = {in.at("name"),     in.at("value"),
                in.at("constant"), in.at("replicated").get<bool>() ? plan::Layout::replicated : plan::Layout::block,
                in.at("elements"), in.at("extent")};
    entry.memory = library_memory();
    if (entry.is.value) {
        const auto &bytes = in.at("bytes").get_binary();
        entry.data = entry.memory.allocate(bytes.size(), nullptr);
        if (entry.data == nullptr) throw std::bad_alloc();
        std::memcpy(entry.data, bytes.data(), bytes.size());
    }
    return entry;
}

}

mpi::Bytes pack(const Offer &offer, const std::vector<Entry> &entries) {
    json list = json::array();
    for (const Entry &entry : entries) list.push_back(as_json(entry));
    const Settings &s = offer.settings;
    return json::to_msgpack({{"version", version},
                             {"generation", offer.generation},
                             {"sources", offer.sizes.sources},
                             {"drains", offer.sizes.drains},
                             {"anew", offer.sizes.anew},
                             {"transfer_method", offer.transfer_method},
                             {"verify", s.verify},
                             {"message_bytes", s.message_bytes},
                             {"answer_timeout", s.answer_timeout},
                             {"slowest_rate", s.slowest_rate},
                             {"worlds", offer.worlds},
                             {"entries", list}});
}

Result<Unpacked> unpack_offer(const mpi::Bytes &bytes) try {
    const json in = json::from_msgpack(bytes);
    if (in.at("version") != version)
        return failed(NEREUS_ERR_MISMATCH, "the job speaks version " + in.at("version").dump() +
                                               " of the offer and this newcomer version " + std::to_string(version));
    Unpacked unpacked;
    Offer &offer = unpacked.offer;
    offer.generation = in.at("generation");
    offer.sizes = {in.at("sources"), in.at("drains"), in.at("anew")};
    offer.transfer_method = in.at("transfer_method");
    offer.settings.verify = in.at("verify");
    offer.settings.message_bytes = in.at("message_bytes");
    offer.settings.answer_timeout = in.at("answer_timeout");
    offer.settings.slowest_rate = in.at("slowest_rate");
    offer.worlds = in.at("worlds").get<std::vector<plan::World>>();
    for (const json &entry : in.at("entries")) unpacked.entries.push_back(entry_from(entry));
    return unpacked;
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("the job's offer cannot be read: ") + problem.what());
}

json as_json(const nereus_resize_report &r) {
    return {{"request", r.request},
            {"code", r.code},
            {"from", r.from},
            {"to", r.to},
            {"process_method", static_cast<int>(r.process_method)},
            {"transfer_method", static_cast<int>(r.transfer_method)},
            {"process_seconds", r.process_seconds},
            {"constant_seconds", r.constant_seconds},
            {"variable_seconds", r.variable_seconds},
            {"pause_seconds", r.pause_seconds},
            {"constant_bytes", r.constant_bytes},
            {"variable_bytes", r.variable_bytes},
            {"bytes_minimum", r.bytes_minimum},
            {"verified", r.verified},
            {"left", r.left},
            {"parked", r.parked},
            {"state", std::string(r.state)},
            {"reason", std::string(r.reason)}};
}

nereus_resize_report report_from(const json &in) {
    nereus_resize_report r{};
    r.request = in.at("request");
    r.code = in.at("code");
    r.from = in.at("from");
    r.to = in.at("to");
    r.process_method = static_cast<nereus_process_method>(in.at("process_method").get<int>());
    r.transfer_method = static_cast<nereus_transfer_method>(in.at("transfer_method").get<int>());
    r.process_seconds = in.at("process_seconds");
    r.constant_seconds = in.at("constant_seconds");
    r.variable_seconds = in.at("variable_seconds");
    r.pause_seconds = in.at("pause_seconds");
    r.constant_bytes = in.at("constant_bytes");
    r.variable_bytes = in.at("variable_bytes");
    r.bytes_minimum = in.at("bytes_minimum");
    r.verified = in.at("verified");
    r.left = in.at("left");
    r.parked = in.at("parked");
    std::strncpy(r.state, in.at("state").get<std::string>().c_str(), sizeof r.state - 1);
    std::strncpy(r.reason, in.at("reason").get<std::string>().c_str(), sizeof r.reason - 1);
    return r;
}

}
