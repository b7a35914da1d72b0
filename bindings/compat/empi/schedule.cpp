// SPDX-License-Identifier: BSD-3-Clause
#include "schedule.hpp"

#include <charconv>
#include <sstream>

namespace nereus::compat {
namespace {

/// @return -1 where it is no whole number
int whole(const std::string &text) {
    int value = -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : -1;
}

}

bool Schedule::read(const std::string &text) {
    std::istringstream stream(text);
    for (std::string item; std::getline(stream, item, ',');) {
        const auto colon = item.find(':');
        if (colon == std::string::npos) return false;
        const int iteration = whole(item.substr(0, colon)), size = whole(item.substr(colon + 1));
        if (iteration < 0 || size < 1) return false;
        sizes_[iteration] = size;
    }
    return true;
}

int Schedule::at(int iteration) const {
    const auto found = sizes_.find(iteration);
    return found == sizes_.end() ? 0 : found->second;
}

}
