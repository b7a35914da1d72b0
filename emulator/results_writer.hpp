// SPDX-License-Identifier: BSD-3-Clause
// The result file (docs/formats/results.md): whole lines, each of which is in the file when write() is back.
#pragma once

#include <optional>
#include <string>

#include "run.hpp"

namespace emulator {

class ResultsWriter {
public:
    enum class Start { anew, append };

    ResultsWriter() = default;
    ResultsWriter(const std::string &path, Start start);
    ResultsWriter(ResultsWriter &&other) noexcept;
    ResultsWriter &operator=(ResultsWriter &&other) noexcept;
    ResultsWriter(const ResultsWriter &) = delete;
    ResultsWriter &operator=(const ResultsWriter &) = delete;
    ~ResultsWriter();

    bool is_open() const { return descriptor_ >= 0; }
    void write(const nlohmann::ordered_json &event);
    const std::optional<std::string> &trouble() const { return trouble_; } ///< after it, nothing more is written

private:
    std::string path_;
    int descriptor_ = -1;
    std::optional<std::string> trouble_;
};

} // namespace emulator
