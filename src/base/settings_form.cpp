// SPDX-License-Identifier: BSD-3-Clause
#include "base/settings_form.hpp"

#include "base/methods.hpp"
#include "base/settings.hpp"
#include "base/settings_numbers.hpp"

#include <utility>

namespace nereus::form {
namespace {

template <class T> SettingForm form_of_number(T Settings::*member, T least, T most) {
    return {[=](Settings &s, const std::string &t) { return read_number(t, least, most, s.*member); },
            [=](const Settings &s) { return written(s.*member); }};
}

}

SettingForm one_of(int Settings::*member, std::vector<std::string> words) {
    const auto set = [=](Settings &s, const std::string &t) {
        const auto number = number_of(words, t);
        if (number) s.*member = *number;
        return number.has_value();
    };
    return {set, [=](const Settings &s) { return word_of(words, s.*member); }};
}

SettingForm on_or_off(bool Settings::*member) {
    const auto set = [=](Settings &s, const std::string &t) {
        if (t != "on" && t != "off") return false;
        s.*member = t == "on";
        return true;
    };
    return {set, [=](const Settings &s) { return std::string(s.*member ? "on" : "off"); }};
}

SettingForm number(int Settings::*member, int least, int most) { return form_of_number(member, least, most); }

SettingForm number(std::int64_t Settings::*member, std::int64_t least, std::int64_t most) {
    return form_of_number(member, least, most);
}

SettingForm number(double Settings::*member, double least, double most) { return form_of_number(member, least, most); }

SettingForm number_or(double Settings::*member, double least, double most, std::string word, double meaning) {
    const SettingForm number = form_of_number(member, least, most);
    const auto set = [=](Settings &s, const std::string &t) {
        if (t != word) return number.set(s, t);
        s.*member = meaning;
        return true;
    };
    return {set, [=](const Settings &s) { return s.*member == meaning ? word : number.get(s); }};
}

SettingForm any_text(std::string Settings::*member) {
    return text(member, [](const std::string &) { return true; });
}

SettingForm text(std::string Settings::*member, bool (*is_good)(const std::string &)) {
    const auto set = [=](Settings &s, const std::string &t) {
        if (!t.empty() && !is_good(t)) return false;
        s.*member = t;
        return true;
    };
    return {set, [=](const Settings &s) { return s.*member; }};
}

}
