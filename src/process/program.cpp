// SPDX-License-Identifier: BSD-3-Clause
#include "process/program.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <unistd.h>

namespace nereus::process {

Program Program::here(int argc, const char *const *argv) {
    std::error_code ignored; // an empty path fails in check() with its reason
    Program program;
    program.path = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
    program.folder = std::filesystem::current_path(ignored).string();
    for (int i = 1; i < argc; ++i) program.arguments.emplace_back(argv[i]);
    return program;
}

std::vector<std::string> Program::words() const {
    std::vector<std::string> all{path};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return all;
}

Done Program::check() const {
    if (access(path.c_str(), X_OK) == 0) return {};
    return failed(NEREUS_ERR_PROCESS, "the program " + path + " cannot be started: " + std::strerror(errno));
}

}
