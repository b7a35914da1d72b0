// SPDX-License-Identifier: BSD-3-Clause
#include "link/keys.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

namespace nereus::link {
namespace {

using nlohmann::json;

constexpr std::size_t characters = 40;
constexpr mode_t of_others = S_IRWXG | S_IRWXO;

tl::unexpected<Error> bad_keys(const std::string &path, const std::string &why) {
    return failed(NEREUS_ERR_SETTING, "controller-keys = " + path + ": " + why);
}

}

Result<Keys> read_keys(const std::string &path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return bad_keys(path, std::strerror(errno));
    if ((status.st_mode & of_others) != 0) return bad_keys(path, "others may read it; allowed is mode 600");
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
    return bad_keys(path, "is no file of keys for jobs, as `nereus daemon --make-keys` makes them");
}

}
