// SPDX-License-Identifier: BSD-3-Clause
#include "base/resize_options.hpp"

#include "base/methods.hpp"
#include "base/settings.hpp"
#include "base/strategies.hpp"

#include <algorithm>
#include <cstring>

namespace nereus {
namespace {

bool is_switch(const ResizeOption &option) { return option.words == &words::switches; }

std::optional<int> value_of(const ResizeOption &option, const std::string &text) {
    if (!option.is_sum) return number_of(*option.words, text);
    const auto bits = strategies::read_strategies(text);
    return bits ? std::optional(static_cast<int>(*bits)) : std::nullopt;
}

std::string text_of(const ResizeOption &option, int value) {
    return option.is_sum ? strategies::words_of(static_cast<unsigned>(value)) : word_of(*option.words, value);
}

std::string why_no_strategies(const std::string &text) {
    const auto bits = strategies::read_strategies(text);
    return bits ? "" : bits.error().what;
}

}

nereus_resize_options initial_resize_options() {
    nereus_resize_options options{};
    for (const ResizeOption &option : resize_options) option.set(options, value_of(option, option.initial).value());
    return options;
}

bool exists(const nereus_resize_options &options) {
    return std::all_of(resize_options.begin(), resize_options.end(), [&](const ResizeOption &option) {
        const int value = option.get(options);
        return option.is_sum || (value >= 0 && value < std::ssize(*option.words));
    });
}

std::string allowed_of(const ResizeOption &option) {
    if (is_switch(option)) return "on, off";
    return option.is_sum ? strategies::allowed_strategies() : allowed_of(*option.words);
}

SettingForm form_of(const ResizeOption &option) {
    const auto set = [&option](Settings &settings, const std::string &text) {
        const auto value = value_of(option, text);
        if (value) option.set(settings.resize, *value);
        return value.has_value();
    };
    const auto get = [&option](const Settings &settings) { return text_of(option, option.get(settings.resize)); };
    if (!option.is_sum) return {set, get};
    return {set, get, why_no_strategies};
}

}
