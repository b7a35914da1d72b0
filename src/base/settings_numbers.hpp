// SPDX-License-Identifier: BSD-3-Clause
// Numbers of settings as texts, the same in every locale; what written() gives, read_number() reads as the same number.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <system_error>

namespace nereus {

/// Whether the whole of `text` is a number in least .. most, which `into` then is.
template <class T> bool read_number(const std::string &text, T least, T most, T &into) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    if (!(value >= least && value <= most)) return false;
    into = value;
    return true;
}

template <class T> std::string written(T value) {
    std::array<char, 32> digits{}; // the shortest text of a double has 24 characters at most
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr};
}

}
