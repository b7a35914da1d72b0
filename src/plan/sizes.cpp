// SPDX-License-Identifier: BSD-3-Clause
#include "plan/sizes.hpp"

#include <algorithm>

namespace nereus::plan {

int Sizes::staying() const {
    if (anew) return 0;
    if (kept.empty()) return std::min(sources, drains);
    return static_cast<int>(std::ranges::count_if(kept, [](int source) { return source >= 0; }));
}

std::vector<bool> Sizes::going_on() const {
    std::vector<bool> going_on(static_cast<std::size_t>(sources), false);
    for (int drain = 0; drain < drains; ++drain)
        if (const auto source = source_at(drain)) going_on[static_cast<std::size_t>(*source)] = true;
    return going_on;
}

std::optional<int> Sizes::source_at(int drain) const {
    if (anew || drain < 0 || drain >= drains) return std::nullopt;
    const int source = kept.empty() ? drain : kept[static_cast<std::size_t>(drain)];
    return source >= 0 && source < sources ? std::optional(source) : std::nullopt;
}

std::optional<int> Sizes::drain_of(int source) const {
    if (anew) return std::nullopt;
    if (kept.empty()) return source < drains ? std::optional(source) : std::nullopt;
    const auto found = std::ranges::find(kept, source);
    return found == kept.end() ? std::nullopt : std::optional(static_cast<int>(found - kept.begin()));
}

int Sizes::drain_of_newcomer(int newcomer) const {
    if (!newcomers_as.empty()) return newcomers_as[static_cast<std::size_t>(newcomer)];
    if (anew) return newcomer;
    if (kept.empty()) return sources + newcomer;
    for (int drain = 0; drain < drains; ++drain)
        if (!source_at(drain) && newcomer-- == 0) return drain;
    return drains;
}

std::vector<int> Sizes::drains_of_newcomers() const {
    if (!newcomers_as.empty()) return newcomers_as;
    std::vector<int> open;
    for (int drain = 0; drain < drains; ++drain)
        if (!source_at(drain)) open.push_back(drain);
    return open;
}

}
