// SPDX-License-Identifier: BSD-3-Clause
// The name of a file, which one of the processes that know it removes.
#pragma once

#include <string>
#include <unistd.h>
#include <utility>

namespace nereus::memory {

class FileName {
public:
    FileName() = default;
    FileName(std::string path, bool ours) : path_(std::move(path)), ours_(ours) {}
    FileName(FileName &&other) noexcept : path_(std::move(other.path_)), ours_(std::exchange(other.ours_, false)) {}
    FileName &operator=(FileName &&other) noexcept {
        std::swap(path_, other.path_);
        std::swap(ours_, other.ours_);
        return *this;
    }
    ~FileName() {
        if (ours_) remove();
    }

    const std::string &path() const { return path_; }
    void set_ours(bool ours) { ours_ = ours; }

    /// Another process may have removed it: that is no error.
    void remove() {
        if (!path_.empty()) unlink(path_.c_str());
        path_.clear();
        ours_ = false;
    }

private:
    std::string path_;
    bool ours_ = false; ///< goes with this object
};

}
