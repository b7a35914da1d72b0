// SPDX-License-Identifier: BSD-3-Clause
// Numbers of messages that came from another process: what is out of range is an exception, which ends in the function
// that reads the message.
#pragma once

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace nereus::job {

/// The whole number `key` of a message, which must be in least .. most.
template <class T> T whole(const nlohmann::json &in, const char *key, T least, T most = std::numeric_limits<T>::max()) {
    const nlohmann::json &value = in.at(key);
    const bool fits = value.is_number_unsigned() ? value.get<std::uint64_t>() <= INT64_MAX : value.is_number_integer();
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
        throw std::out_of_range(std::string(key) + " = " + value.dump());
    return value.get<T>();
}

}
