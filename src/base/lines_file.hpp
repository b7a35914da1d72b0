// SPDX-License-Identifier: BSD-3-Clause
// A file of JSON objects: whole lines, each of which is in the file when write() is back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace nereus {

class LinesFile {
public:
    enum class Start { anew, append };

    LinesFile() = default;
    LinesFile(const std::string &path, Start start);
    LinesFile(LinesFile &&other) noexcept;
    LinesFile &operator=(LinesFile &&other) noexcept;
    LinesFile(const LinesFile &) = delete;
    LinesFile &operator=(const LinesFile &) = delete;
    ~LinesFile();

    bool is_open() const { return descriptor_ >= 0; }
    void write(const nlohmann::ordered_json &event);
    const std::optional<std::string> &trouble() const { return trouble_; } ///< after it, nothing more is written

private:
    std::string path_;
    int descriptor_ = -1;
    std::optional<std::string> trouble_;
};

}
