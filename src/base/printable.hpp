// SPDX-License-Identifier: BSD-3-Clause
// Text from outside, names of arrays, files and hosts, for people: what nereus.printable() is in Python.
#pragma once

#include <array>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace nereus {
namespace printing {

struct Character {
    std::uint32_t code;
    std::size_t bytes; ///< 0: no character begins here
};

inline Character character_at(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) -> std::uint32_t { return static_cast<unsigned char>(text[at + i]); };
    const std::uint32_t first = byte(0);
    if (first < 0x80) return {first, 1};
    const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || at + bytes > text.size()) return {first, 0};
    std::uint32_t code = first & (0x7fU >> bytes);
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xc0) != 0x80) return {first, 0};
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[bytes] || code > 0x10ffff || is_surrogate ? Character{first, 0} : Character{code, bytes};
}

/// Not what a terminal obeys, nor what changes the order of others, nor what looks like nothing.
inline bool is_shown(std::uint32_t code) {
    struct Range {
        std::uint32_t first, last;
    };
    constexpr std::array<Range, 14> hidden{{{0, 0x1f},
                                            {0x7f, 0xa0},
                                            {0xad, 0xad},
                                            {0x61c, 0x61c},
                                            {0x1680, 0x1680},
                                            {0x180e, 0x180e},
                                            {0x2000, 0x200f},
                                            {0x2028, 0x202f},
                                            {0x205f, 0x206f},
                                            {0x3000, 0x3000},
                                            {0xe000, 0xf8ff},
                                            {0xfeff, 0xfeff},
                                            {0xfff9, 0xfffb},
                                            {0xe0000, 0x10ffff}}};
    for (const Range &range : hidden)
        if (code >= range.first && code <= range.last) return false;
    return true;
}

inline std::string escaped(std::uint32_t code) {
    std::array<char, 16> text{};
    const std::uint32_t above = code - 0x10000;
    if (code < 0x10000)
        std::snprintf(text.data(), text.size(), "\\u%04x", code);
    else // as JSON writes it
        std::snprintf(text.data(), text.size(), "\\u%04x\\u%04x", 0xd800 + (above >> 10), 0xdc00 + (above & 0x3ff));
    return text.data();
}

}

/// On one line: what is no character to a terminal as JSON's escape, a byte that is no UTF-8 as Python shows it.
inline std::string printable(std::string_view text) {
    std::string shown;
    for (std::size_t at = 0; at < text.size();) {
        const auto [code, bytes] = printing::character_at(text, at);
        if (bytes == 0)
            shown += printing::escaped(0xdc00 + code);
        else if (printing::is_shown(code))
            shown += text.substr(at, bytes);
        else
            shown += printing::escaped(code);
        at += bytes == 0 ? 1 : bytes;
    }
    return shown;
}

/// `"one", "two"`, or `none`.
inline std::string quoted(const std::vector<std::string> &names) {
    if (names.empty()) return "none";
    std::string text;
    for (const std::string &name : names) text += (text.empty() ? "\"" : ", \"") + name + "\"";
    return text;
}

/// One line on stderr, `who: text`, where other processes' lines do not come between.
inline void print_line(std::string_view who, std::string_view text) {
    const std::string line = std::string(who) + ": " + printable(text) + "\n";
    std::fwrite(line.data(), 1, line.size(), stderr);
}

}
