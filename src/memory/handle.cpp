// SPDX-License-Identifier: BSD-3-Clause
#include "memory/handle.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <stdexcept>

namespace nereus::memory {
namespace {

using nlohmann::json;

/// The whole number `key` of a handle, which must be in 0 .. the most that T holds.
template <class T> T whole(const json &in, const char *key) {
    const json &value = in.at(key);
    const bool fits = value.is_number_integer() && (value.is_number_unsigned() || value.get<std::int64_t>() >= 0) &&
                      value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    if (!fits) throw std::out_of_range(std::string(key) + " = " + value.dump());
    return value.get<T>();
}

}

json as_json(const Handle &handle) {
    return {{"array", handle.array}, {"bytes", handle.bytes},   {"pid", handle.pid},  {"descriptor", handle.descriptor},
            {"inode", handle.inode}, {"device", handle.device}, {"path", handle.path}};
}

Result<Handle> handle_from(const json &in) try {
    return Handle{in.at("array"),
                  whole<std::int64_t>(in, "bytes"),
                  whole<std::int64_t>(in, "pid"),
                  whole<int>(in, "descriptor"),
                  whole<std::uint64_t>(in, "inode"),
                  whole<std::uint64_t>(in, "device"),
                  in.at("path")};
} catch (const std::exception &problem) {
    return failed(NEREUS_ERR_MISMATCH, std::string("a handle of shared memory cannot be read: ") + problem.what());
}

}
