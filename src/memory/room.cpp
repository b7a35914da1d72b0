// SPDX-License-Identifier: BSD-3-Clause
#include "memory/room.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

namespace nereus::memory {
namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The value of "KEY:  NUMBER kB" of /proc/meminfo in bytes.
std::optional<std::int64_t> from_meminfo(const std::string &root, const std::string &key) {
    std::ifstream file(root + "/proc/meminfo");
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name;
        std::int64_t kilobytes = 0;
        if (words >> name >> kilobytes && name == key + ":") return kilobytes * 1024;
    }
    return std::nullopt;
}

/// Nothing for "max", and where there is no such file: a folder of a group outside of this container is not there.
std::optional<std::int64_t> number_in(const std::string &path) {
    std::ifstream file(path);
    std::int64_t number = 0;
    if (file >> number) return number;
    return std::nullopt;
}

/// The least number that the files `name` of `group` and of all groups around it hold.
std::int64_t least_around(const std::string &mount, std::string group, const std::string &name) {
    std::int64_t least = no_limit;
    while (true) {
        least = std::min(least, number_in(mount + group + "/" + name).value_or(no_limit));
        if (group.empty()) return least;
        group.erase(group.find_last_of('/') == std::string::npos ? 0 : group.find_last_of('/'));
    }
}

bool has_word(const std::string &list, const std::string &word) {
    return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// Lines of /proc/self/cgroup are "NUMBER:CONTROLLERS:PATH"; version 2 has no controllers there (cgroups(7)).
std::int64_t limit_of_group(const std::string &root, const std::string &line) {
    const auto first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) return no_limit;
    const std::string controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
    if (controllers.empty()) return least_around(root + "/sys/fs/cgroup", group, "memory.max");
    if (!has_word(controllers, "memory")) return no_limit;
    return least_around(root + "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
}

std::int64_t limit_of_groups(const std::string &root) {
    std::int64_t least = no_limit;
    std::ifstream file(root + "/proc/self/cgroup");
    for (std::string line; std::getline(file, line);) least = std::min(least, limit_of_group(root, line));
    return least;
}

}

std::int64_t most_memory(const std::string &root) {
    const auto memory = std::min(from_meminfo(root, "MemTotal").value_or(no_limit), limit_of_groups(root));
    const auto swap = from_meminfo(root, "SwapTotal").value_or(0);
    return memory > no_limit - swap ? no_limit : memory + swap;
}

Done check_memory(const std::string &what, std::int64_t bytes, const std::string &root) {
    const std::int64_t most = most_memory(root);
    if (bytes <= most) return {};
    return failed(NEREUS_ERR_MEMORY,
                  what + " needs " + std::to_string(bytes) +
                      " B on this host; its memory and swap, or the limit of this job's control group, is " +
                      std::to_string(most) + " B");
}

}
