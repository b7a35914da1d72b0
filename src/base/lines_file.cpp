// SPDX-License-Identifier: BSD-3-Clause
#include "base/lines_file.hpp"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace nereus {

LinesFile::LinesFile(const std::string &path, Start start) : path_(path) {
    const int flags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (start == Start::anew ? O_TRUNC : 0);
    descriptor_ = ::open(path.c_str(), flags, 0644);
    if (descriptor_ < 0) trouble_ = path + ": " + std::strerror(errno);
}

LinesFile::LinesFile(LinesFile &&other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)),
      trouble_(std::move(other.trouble_)) {}

LinesFile &LinesFile::operator=(LinesFile &&other) noexcept {
    std::swap(path_, other.path_);
    std::swap(descriptor_, other.descriptor_);
    std::swap(trouble_, other.trouble_);
    return *this;
}

LinesFile::~LinesFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void LinesFile::write(const nlohmann::ordered_json &event) {
    if (!is_open() || trouble_) return;
    const std::string line = event.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
    for (std::size_t done = 0; done < line.size();) {
        const ssize_t written = ::write(descriptor_, line.data() + done, line.size() - done);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            trouble_ = path_ + ": " + std::strerror(errno);
            return;
        }
        done += static_cast<std::size_t>(written);
    }
}

}
