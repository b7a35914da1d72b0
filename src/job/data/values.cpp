// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/values.hpp"

#include <algorithm>
#include <cstring>

namespace nereus::job {

using nlohmann::json;

json values_of(const Registry &registry) {
    json values = json::array();
    for (const Entry &entry : registry.entries()) {
        if (!entry.is.value) continue;
        const auto *first = static_cast<const std::uint8_t *>(entry.data);
        values.push_back(json::binary({first, first + entry.is.bytes()}));
    }
    return values;
}

void take_values(Registry &registry, const json &values) {
    if (!values.is_array()) return;
    std::size_t index = 0;
    for (Entry &entry : registry.entries()) {
        if (!entry.is.value) continue;
        const std::size_t place = index++;
        if (place >= values.size() || !values[place].is_binary()) continue;
        const auto &bytes = values[place].get_binary();
        std::memcpy(entry.data, bytes.data(), std::min(bytes.size(), static_cast<std::size_t>(entry.is.bytes())));
    }
}

}
