// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/output.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace nereus::pmpi {

Result<Output> Output::begin(const std::string &path, monitor::Encoding encoding, bool is_run_of_its_own) {
    const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (descriptor < 0) return failed(NEREUS_ERR_ARGUMENT, path + ": " + std::strerror(errno));
    ::flock(descriptor, LOCK_EX); // where a file system has no locks, worlds that end at once may mix their lines
    if (is_run_of_its_own && ::ftruncate(descriptor, 0) != 0) {
        // A pipe or a terminal has nothing to cut.
    }
    const long length = ::lseek(descriptor, 0, SEEK_END);
    return Output(path, encoding, descriptor, length <= 0, length);
}

Output::Output(Output &&other) noexcept
    : path_(std::move(other.path_)), encoding_(other.encoding_), descriptor_(std::exchange(other.descriptor_, -1)),
      is_new_(other.is_new_), begin_(other.begin_), error_(other.error_) {}

Output::~Output() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

void Output::write(std::string_view text) {
    while (error_ == 0 && !text.empty()) {
        const ssize_t written = ::write(descriptor_, text.data(), text.size());
        if (written >= 0)
            text.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            error_ = errno;
    }
}

Done Output::finish() {
    std::string what = path_ + ": " + std::strerror(error_);
    if (error_ != 0 && begin_ >= 0 && ::ftruncate(descriptor_, begin_) != 0)
        what += "; what was written of it could not be taken back";
    const bool is_closed =
        ::close(std::exchange(descriptor_, -1)) == 0; // some file systems say only now that they are full
    if (error_ != 0) return failed(NEREUS_ERR_ARGUMENT, std::move(what));
    if (!is_closed) return failed(NEREUS_ERR_ARGUMENT, path_ + ": " + std::strerror(errno));
    return {};
}

}
