// SPDX-License-Identifier: BSD-3-Clause
#include "epochs/array_form.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string_view>

namespace nereus::epochs {
namespace {

using nlohmann::json;

struct TypeRow {
    std::string_view kind;
    std::int64_t bytes;
    std::string_view name;
};

/// Zarr version 3, core specification, section "Core data types".
constexpr std::array<TypeRow, 13> types{{{"bool", 1, "bool"},
                                         {"int", 1, "int8"},
                                         {"int", 2, "int16"},
                                         {"int", 4, "int32"},
                                         {"int", 8, "int64"},
                                         {"uint", 1, "uint8"},
                                         {"uint", 2, "uint16"},
                                         {"uint", 4, "uint32"},
                                         {"uint", 8, "uint64"},
                                         {"float", 4, "float32"},
                                         {"float", 8, "float64"},
                                         {"complex", 8, "complex64"},
                                         {"complex", 16, "complex128"}}};

json zero_of(const std::string &type) {
    if (type == "bool") return false;
    if (type.starts_with("float")) return 0.0;
    if (type.starts_with("complex")) return json::array({0.0, 0.0});
    return 0;
}

/// NumPy's bytes of C: Zarr wants no order for elements of one byte, and allows one.
constexpr const char *byte_order = std::endian::native == std::endian::little ? "little" : "big";

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.'; }

/// Zarr keeps names that begin with two underscores for itself; a point at the beginning hides a folder.
std::string folder_name(const std::string &name) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string folder;
    for (const char c : name) {
        const bool begins = folder.empty() && (c == '.' || c == '_');
        if (is_plain(c) && !begins) {
            folder += c;
            continue;
        }
        const auto code = static_cast<unsigned char>(c);
        folder += {'%', digits[code >> 4], digits[code & 0xfU]};
    }
    return folder;
}

json metadata_of(const ArrayForm &array) {
    json shape{array.elements}, chunk{array.elements_of_chunk()};
    const std::string type = array.type.empty() ? "uint8" : array.type;
    if (array.type.empty()) {
        shape.push_back(array.extent);
        chunk.push_back(array.extent);
    }
    return {{"zarr_format", 3},
            {"node_type", "array"},
            {"shape", shape},
            {"data_type", type},
            {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", chunk}}}}},
            {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
            {"fill_value", zero_of(type)},
            {"codecs", {{{"name", "bytes"}, {"configuration", {{"endian", byte_order}}}}, {{"name", "crc32c"}}}},
            {"attributes", {{"nereus", {{"name", array.name}}}}}};
}

}

/// Chunks of nearly equal lengths, so that little is added at the end of the last one.
std::int64_t ArrayForm::elements_of_chunk() const {
    if (elements == 0) return 1; // no dimension of a chunk may be 0
    const std::int64_t most = std::max<std::int64_t>(most_chunk_bytes / extent, 1);
    const std::int64_t number = elements / most + (elements % most != 0 ? 1 : 0);
    return elements / number + (elements % number != 0 ? 1 : 0);
}

std::int64_t ArrayForm::chunks() const {
    const std::int64_t each = elements_of_chunk();
    return elements / each + (elements % each != 0 ? 1 : 0);
}

Path ArrayForm::folder() const { return folder_name(name); }

Path ArrayForm::chunk_file(std::int64_t chunk) const {
    const Path file = folder() / "c" / std::to_string(chunk);
    return type.empty() ? file / "0" : file;
}

std::string ArrayForm::metadata() const { return metadata_of(*this).dump(2) + "\n"; }

Done ArrayForm::check_metadata(const std::string &text) const {
    const json found = json::parse(text, nullptr, false);
    if (found.is_object()) {
        const json wanted = metadata_of(*this);
        const auto differs = std::ranges::find_if(wanted.items(), [&](const auto &row) {
            return !found.contains(row.key()) || found[row.key()] != row.value();
        });
        if (differs == wanted.items().end()) return {};
        return failed(NEREUS_ERR_MISMATCH, metadata_file().string() + ": its " + differs.key() + " is " +
                                               found.value(differs.key(), json()).dump().substr(0, 100) +
                                               " and should be " + differs.value().dump().substr(0, 100));
    }
    return failed(NEREUS_ERR_MISMATCH, metadata_file().string() + ": is no JSON object");
}

std::vector<ChunkPart> chunk_parts(const ArrayForm &array, plan::Range elements) {
    std::vector<ChunkPart> parts;
    const std::int64_t each = array.elements_of_chunk();
    while (!elements.empty()) {
        const std::int64_t chunk = elements.first / each, place = elements.first % each;
        const std::int64_t count = std::min(each - place, elements.count());
        parts.push_back({chunk, place * array.extent, count * array.extent});
        elements.first += count;
    }
    return parts;
}

std::string data_type(const std::string &kind, std::int64_t bytes) {
    for (const TypeRow &row : types)
        if (row.kind == kind && row.bytes == bytes) return std::string(row.name);
    return "";
}

bool is_data_type(const std::string &type, std::int64_t extent) {
    return type.empty() ||
           std::ranges::any_of(types, [&](const TypeRow &row) { return row.name == type && row.bytes == extent; });
}

}
