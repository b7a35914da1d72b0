// SPDX-License-Identifier: BSD-3-Clause
// Reads the values of one JSON object and checks each; keeps the first complaint.
//
// Getters give a harmless value once something was wrong, so that a reader lists its fields without a branch after each
// and asks for the complaint at the end.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace emulator {

using Json = nlohmann::ordered_json;

/// The first thing that is wrong in a document, as "key: found ..., allowed ...".
class Complaint {
public:
    void say(const std::string &key, const std::string &found, const std::string &allowed);
    const std::optional<std::string> &first() const { return first_; }

private:
    std::optional<std::string> first_;
};

class Fields {
public:
    /// `path` names the object in messages, "" for the document.
    Fields(const Json &object, std::string path, Complaint &complaint);

    std::int64_t integer(const char *key, std::int64_t least, std::int64_t most);
    std::int64_t integer_or_null(const char *key, std::int64_t least, std::int64_t most, std::int64_t if_null);
    double number(const char *key, bool zero_too);
    bool boolean(const char *key);
    std::string text(const char *key);
    /// Whether it is there, for a key that may be missing.
    bool has(const char *key) {
        known_.insert(key);
        return object_.contains(key);
    }
    const Json &array(const char *key, bool empty_too);
    const Json &object(const char *key);

    template <class T> T choice(const char *key, const std::vector<std::pair<std::string_view, T>> &names) {
        std::string allowed;
        const std::string found = text(key);
        for (const auto &[name, value] : names) {
            if (found == name) return value;
            allowed += (allowed.empty() ? "" : ", ") + std::string(name);
        }
        complain(key, allowed);
        return names.front().second;
    }

    /// A key that may be missing: version 1 of the run file did not have it from the start.
    template <class T>
    T choice_or(const char *key, const std::vector<std::pair<std::string_view, T>> &names, T if_missing) {
        return has(key) ? choice(key, names) : if_missing;
    }

    void complain(const char *key, const std::string &allowed);
    void refuse_others(); ///< complains about the first key that was not asked for
    std::string path_of(const std::string &key) const { return path_.empty() ? key : path_ + "." + key; }

private:
    const Json &get(const char *key);

    const Json &object_;
    std::string path_;
    Complaint &complaint_;
    std::set<std::string> known_;
};

} // namespace emulator
