// SPDX-License-Identifier: BSD-3-Clause
// How values of settings are read from texts, and written as texts that are read back as the same values.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace nereus {

struct Settings;

struct SettingForm {
    std::function<bool(Settings &, const std::string &)> set; // false: the value is not allowed, and nothing is changed
    std::function<std::string(const Settings &)> get;         // a text that set() takes for the value
    std::function<std::string(const std::string &)> why{};    // of a value that is not allowed, where more can be said
};

namespace form {

/// One of `words`; the value is its place among them.
SettingForm one_of(int Settings::*member, std::vector<std::string> words);

SettingForm on_or_off(bool Settings::*member);

SettingForm number(int Settings::*member, int least, int most);
SettingForm number(std::int64_t Settings::*member, std::int64_t least, std::int64_t most);
SettingForm number(double Settings::*member, double least, double most);

/// `word` stands for `meaning`, which is not in least .. most.
SettingForm number_or(double Settings::*member, double least, double most, std::string word, double meaning);

SettingForm any_text(std::string Settings::*member);
/// Empty, or a text that `is_good` accepts.
SettingForm text(std::string Settings::*member, bool (*is_good)(const std::string &));

}

}
