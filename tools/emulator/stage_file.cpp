// SPDX-License-Identifier: BSD-3-Clause
// Writing and reading of one file per rank with POSIX calls.
//
// The file loses its name as soon as it is open: the system frees it when the process ends, however it ends.
#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "stage.hpp"

namespace emulator {

namespace {

constexpr std::int64_t piece = 1 << 20;          // bytes of one system call
constexpr std::int64_t longest_lap = 64LL << 20; // calibrated stages go over this much of the file again and again

class OpenFile {
public:
    explicit OpenFile(std::string path)
        : path_(std::move(path)), descriptor_(::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)),
          error_(descriptor_ < 0 ? errno : 0) {
        if (descriptor_ >= 0) ::unlink(path_.c_str());
    }
    OpenFile(const OpenFile &) = delete;
    OpenFile &operator=(const OpenFile &) = delete;
    ~OpenFile() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }

    void write(std::int64_t first, std::int64_t bytes) { transfer(first, bytes, buffer_, ::pwrite); }
    void read(std::int64_t first, std::int64_t bytes) { transfer(first, bytes, buffer_, ::pread); }

    std::optional<std::string> trouble() const {
        if (error_ == 0) return std::nullopt;
        return path_ + ": " + std::strerror(error_);
    }

private:
    // A call may do less than it was asked for; 0 bytes mean a full or shortened file, which would never end.
    template <class Call>
    void transfer(std::int64_t first, std::int64_t bytes, std::vector<std::byte> &buffer, Call call) {
        while (bytes > 0 && error_ == 0) {
            const auto wanted = static_cast<std::size_t>(std::min(bytes, piece));
            const ssize_t done = call(descriptor_, buffer.data(), wanted, static_cast<off_t>(first));
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) error_ = done < 0 ? errno : EIO;
            first += std::max<ssize_t>(done, 0);
            bytes -= std::max<ssize_t>(done, 0);
        }
    }

    std::string path_;
    int descriptor_;
    int error_;
    std::vector<std::byte> buffer_ = std::vector<std::byte>(static_cast<std::size_t>(piece), std::byte{0x5A});
};

// Where operation after operation lies: one behind the other, from the start again where a lap ends.
class Laps {
public:
    explicit Laps(std::int64_t bytes) : bytes_(bytes), places_(std::max<std::int64_t>(1, longest_lap / bytes)) {}
    std::int64_t length() const { return bytes_ * places_; }
    std::int64_t next() { return bytes_ * (done_++ % places_); }

private:
    std::int64_t bytes_;
    std::int64_t places_;
    std::int64_t done_ = 0;
};

// One operation of given size always starts at the front, as a checkpoint file that is written anew.
Laps laps_of(const StageSpec &spec) {
    return Laps(spec.bytes > 0 ? std::max(spec.bytes, longest_lap) : spec.granularity);
}

template <bool writes> class File final : public Stage {
public:
    File(const StageSpec &spec, const std::string &path)
        : bytes_(operation_bytes(spec)), laps_(laps_of(spec)), file_(path) {
        if (!writes) file_.write(0, spec.bytes > 0 ? spec.bytes : laps_.length());
    }

    void run(std::int64_t operations) override {
        for (std::int64_t i = 0; i < operations && !file_.trouble(); ++i) {
            if constexpr (writes)
                file_.write(laps_.next(), bytes_);
            else
                file_.read(laps_.next(), bytes_);
        }
    }

    std::optional<std::string> trouble() const override { return file_.trouble(); }

private:
    std::int64_t bytes_;
    Laps laps_;
    OpenFile file_;
};

template <bool writes> std::unique_ptr<Stage> make(const StageSpec &spec, const Team &, Workplace &place) {
    return std::make_unique<File<writes>>(spec, place.scratch + "/" + place.file_name);
}

const RegisteredStage file_write({"write", StageKind::file, make<true>});
const RegisteredStage file_read({"read", StageKind::file, make<false>});

} // namespace

} // namespace emulator
