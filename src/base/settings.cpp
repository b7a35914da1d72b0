// SPDX-License-Identifier: BSD-3-Clause
#include "base/settings.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace nereus {
namespace {

template <class T> bool number(const std::string &text, T least, T most, T &into) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    if (!(value >= least && value <= most)) return false;
    into = value;
    return true;
}

bool choice(const std::string &text, const std::vector<std::string> &names, int &into) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    into = static_cast<int>(found - names.begin());
    return true;
}

bool on_or_off(const std::string &text, bool &into) {
    int which = 0;
    if (!choice(text, {"off", "on"}, which)) return false;
    into = which == 1;
    return true;
}

constexpr double most_seconds = 1e6;

std::vector<SettingRow> make_table() {
    return {
        {"process-method", "merge", "", "merge, baseline-inter, baseline-intra",
         "how processes of a new size come about",
         [](Settings &s, const std::string &t) {
             return choice(t, {"merge", "baseline-inter", "baseline-intra"}, s.process_method);
         }},
        {"transfer-method", "p2p", "", "p2p, col", "which MPI calls carry the data",
         [](Settings &s, const std::string &t) { return choice(t, {"p2p", "col"}, s.transfer_method); }},
        {"verify", "off", "", "on, off", "compare checksums of all data after each transfer",
         [](Settings &s, const std::string &t) { return on_or_off(t, s.verify); }},
        {"max-ranks", "65536", "processes", "1 .. 2147483647", "largest number of processes that may be asked for",
         [](Settings &s, const std::string &t) { return number(t, 1, 2147483647, s.max_ranks); }},
        {"connect-timeout", "30", "s", "0.1 .. 1e6", "how long newcomers may take to say that they are up",
         [](Settings &s, const std::string &t) { return number(t, 0.1, most_seconds, s.connect_timeout); }},
        {"answer-timeout", "30", "s", "0.1 .. 1e6", "how long a newcomer may take to vote, besides its data's time",
         [](Settings &s, const std::string &t) { return number(t, 0.1, most_seconds, s.answer_timeout); }},
        {"slowest-rate", "50", "MB/s", "1e-3 .. 1e6", "a transfer slower than this is given up",
         [](Settings &s, const std::string &t) { return number(t, 1e-3, 1e6, s.slowest_rate); }},
        {"message-bytes", "1073741824", "B", "1 .. 2147483647", "larger pieces of data travel as several messages",
         [](Settings &s, const std::string &t) {
             return number(t, std::int64_t{1}, std::int64_t{2147483647}, s.message_bytes);
         }},
    };
}

Done apply(const SettingRow &row, const std::string &value, const std::string &origin, Settings &settings) {
    if (row.set(settings, value)) return {};
    return failed(NEREUS_ERR_SETTING, origin + " = " + (value.empty() ? "(empty)" : value) + ": allowed is " +
                                          row.allowed + (row.unit.empty() ? "" : " " + row.unit));
}

Done apply_argument(std::string_view argument, Settings &settings) {
    constexpr std::string_view prefix = "--nereus-";
    if (!argument.starts_with(prefix)) return {};
    const auto equals = argument.find('=');
    const std::string flag(argument.substr(0, equals));
    const std::string value(equals == std::string_view::npos ? "" : argument.substr(equals + 1));
    for (const SettingRow &row : settings_table())
        if (flag == std::string(prefix) + row.name) return apply(row, value, flag, settings);
    return failed(NEREUS_ERR_SETTING, flag + ": there is no such setting; docs/reference/settings.md lists them");
}

}

const std::vector<SettingRow> &settings_table() {
    static const std::vector<SettingRow> table = make_table();
    return table;
}

std::string environment_name(const SettingRow &row) {
    std::string name = "NEREUS_" + row.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : std::toupper(c); });
    return name;
}

Result<Settings> read_settings(int argc, const char *const *argv) {
    Settings settings;
    for (const SettingRow &row : settings_table()) {
        const std::string name = environment_name(row);
        const char *value = std::getenv(name.c_str());
        if (value == nullptr) continue;
        if (auto done = apply(row, value, name, settings); !done) return tl::unexpected(done.error());
    }
    for (int i = 1; i < argc; ++i)
        if (auto done = apply_argument(argv[i], settings); !done) return tl::unexpected(done.error());
    return settings;
}

}
