// SPDX-License-Identifier: BSD-3-Clause
#include "base/host_list.hpp"

#include <charconv>
#include <set>
#include <string_view>

namespace nereus {
namespace {

constexpr std::string_view digits = "0123456789";
constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

bool consists_of(std::string_view text, const std::string &characters) {
    return text.find_first_not_of(characters) == std::string_view::npos;
}

// Names are handed to mpiexec and ssh: nothing in them may look like an option or like two names.
bool is_name(std::string_view name) {
    const std::string inside = std::string(letters) + std::string(digits);
    return consists_of(name.substr(0, 1), inside) && consists_of(name, inside + ".-_");
}

bool read_slots(std::string_view text, int &slots) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
    return error == std::errc{} && end == text.data() + text.size() && slots >= 1 && slots <= most_slots;
}

tl::unexpected<Error> refused(std::string_view entry, const std::string &why) {
    return failed(NEREUS_ERR_ARGUMENT, "host `" + std::string(entry) + "`: " + why);
}

Result<Host> read_host(std::string_view entry) {
    const auto colon = entry.find(':');
    Host host{std::string(entry.substr(0, colon)), 1};
    if (host.name.empty()) return refused(entry, "a name is missing");
    if (!is_name(host.name))
        return refused(entry, "a name is letters, digits, '.', '-' and '_', and begins with a letter or digit");
    if (colon != std::string_view::npos && !read_slots(entry.substr(colon + 1), host.slots))
        return refused(entry, "slots are 1 .. " + std::to_string(most_slots));
    return host;
}

std::vector<std::string_view> entries_of(std::string_view text) {
    std::vector<std::string_view> entries;
    while (true) {
        const auto comma = text.find(',');
        entries.push_back(text.substr(0, comma));
        if (comma == std::string_view::npos) return entries;
        text.remove_prefix(comma + 1);
    }
}

}

std::string_view own_part(std::string_view name) {
    const bool address = consists_of(name, std::string(digits) + ".");
    return address ? name : name.substr(0, name.find('.'));
}

bool same_host(const std::string &a, const std::string &b) { return own_part(a) == own_part(b); }

Result<std::vector<Host>> read_hosts(const std::string &text) {
    std::vector<Host> hosts;
    if (text.empty()) return hosts;
    std::set<std::string_view> seen;
    for (const std::string_view entry : entries_of(text)) {
        const auto host = read_host(entry);
        if (!host) return tl::unexpected(host.error());
        if (!seen.insert(own_part(entry.substr(0, host->name.size()))).second)
            return refused(entry, "it is there twice");
        hosts.push_back(*host);
    }
    return hosts;
}

std::string text_of(const std::vector<Host> &hosts) {
    std::string text;
    for (const Host &host : hosts) text += (text.empty() ? "" : ",") + host.name + ":" + std::to_string(host.slots);
    return text;
}

}
