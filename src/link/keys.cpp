// SPDX-License-Identifier: BSD-3-Clause
#include "link/keys.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace nereus::link {
namespace {

using nlohmann::json;

constexpr std::size_t characters = 40;
constexpr mode_t of_others = S_IRWXG | S_IRWXO;

/// Why a file is not to be trusted; "": it is.
std::string obstacle(const std::string &path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return std::strerror(errno);
    if (!S_ISREG(status.st_mode)) return "is no file";
    if (status.st_uid != geteuid()) return "belongs to another user";
    return (status.st_mode & of_others) != 0 ? "others may read it; allowed is mode 600" : "";
}

}

Result<Keys> read_keys(const std::string &path, const std::string &setting) {
    const auto bad_keys = [&](const std::string &why) {
        return failed(NEREUS_ERR_SETTING, setting + " = " + path + ": " + why);
    };
    if (const std::string why = obstacle(path); !why.empty()) return bad_keys(why);
    std::ifstream file(path);
    const json found = json::parse(file, nullptr, false);
    const auto key = [&found](const char *name) { return found.value(name, std::string()); };
    try {
        Keys keys{key("public"), key("secret"), key("server")};
        if (keys.own_public.size() == characters && keys.own_secret.size() == characters &&
            keys.other_public.size() == characters)
            return keys;
    } catch (const json::exception &) {
    }
    return bad_keys("is no file of keys for jobs, as `nereus daemon --make-keys` and `nereus run` make them");
}

}
