// SPDX-License-Identifier: BSD-3-Clause
// The file of a run, to which each of its worlds adds what it recorded.
#pragma once

#include "base/error.hpp"
#include "record/lines.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace nereus::pmpi {

class Output {
public:
    /// Opens the file for one world, alone until this object goes: anew where the world is a run of its own, else
    /// behind what other worlds of the run wrote. NEREUS_ERR_ARGUMENT where it cannot be written.
    static Result<Output> begin(const std::string &path, monitor::Encoding encoding, bool is_run_of_its_own);

    Output(Output &&other) noexcept;
    Output &operator=(Output &&) = delete;
    ~Output();

    bool is_new() const { return is_new_; }
    void write(std::string_view text);
    void write_event(const nlohmann::ordered_json &event) { write(monitor::encoded(event, encoding_)); }

    /// All of it is in the file. Else NEREUS_ERR_ARGUMENT says why, and the file is what it was before.
    Done finish();

private:
    Output(std::string path, monitor::Encoding encoding, int descriptor, bool is_new, long begin)
        : path_(std::move(path)), encoding_(encoding), descriptor_(descriptor), is_new_(is_new), begin_(begin) {}

    std::string path_;
    monitor::Encoding encoding_;
    int descriptor_;
    bool is_new_;
    long begin_; ///< length of the file before
    int error_ = 0;
};

}
