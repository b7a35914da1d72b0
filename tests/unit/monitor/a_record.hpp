// SPDX-License-Identifier: BSD-3-Clause
// A record as tests want it, and a folder for those that lie in files.
#pragma once

#include "base/clock.hpp"
#include "record/record.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace nereus::monitor {

class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "nereus-monitor-test-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error(name);
        path_ = name;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;

    std::string file(const std::string &name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
};

inline RecordFacts facts(const std::string &path = "", double window_seconds = 3600) {
    return {path, "w", "h", 3, 8, unix_now(), window_seconds, 1 << 16};
}

inline std::unique_ptr<Record> a_record(const RecordFacts &of = facts()) {
    auto made = Record::begin(of);
    if (!made) throw std::runtime_error(made.error().what);
    return std::move(*made);
}

inline Address to(std::uint64_t peer, Kind kind = Kind::point_to_point) {
    Address address;
    address.kind = kind;
    address.peer = peer;
    return address;
}

}
