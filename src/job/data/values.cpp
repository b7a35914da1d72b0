// SPDX-License-Identifier: BSD-3-Clause
#include "job/data/values.hpp"

#include <algorithm>
#include <cstring>

namespace nereus::job {

Values values_of(const Registry &registry) {
    Values values;
    for (const Entry &entry : registry.entries()) {
        if (!entry.is.value) continue;
        const auto *first = static_cast<const std::uint8_t *>(entry.data);
        values.emplace_back(first, first + entry.is.bytes());
    }
    return values;
}

void take_values(Registry &registry, const Values &values) {
    auto bytes = values.begin();
    for (Entry &entry : registry.entries()) {
        if (!entry.is.value || bytes == values.end()) continue;
        std::memcpy(entry.data, bytes->data(), std::min(bytes->size(), static_cast<std::size_t>(entry.is.bytes())));
        ++bytes;
    }
}

}
