// SPDX-License-Identifier: BSD-3-Clause
#include "link/message.hpp"

namespace nereus::link {
namespace {

using nlohmann::json;

/// Whether arrays and objects are nested no deeper than allowed; looks at brackets outside of strings only.
bool shallow(std::string_view text) {
    int depth = 0;
    bool inside_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '"') inside_string = !inside_string;
        if (inside_string && c == '\\') ++i;
        if (inside_string) continue;
        if (c == '[' || c == '{') ++depth;
        if (c == ']' || c == '}') --depth;
        if (depth > deepest_nesting) return false;
    }
    return true;
}

bool is_text(const json &message, const char *key) {
    const auto found = message.find(key);
    return found != message.end() && found->is_string();
}

bool is_for_us(const json &message, const std::string &job) {
    const auto found = message.find("version");
    return found != message.end() && found->is_number_integer() && *found == version && is_text(message, "job") &&
           message["job"] == job && is_text(message, "kind");
}

}

std::optional<json> read_frame(std::string_view frame, const std::string &job) {
    if (frame.size() > longest_frame || !shallow(frame)) return std::nullopt;
    json message = json::parse(frame, nullptr, false);
    if (!message.is_object() || !is_for_us(message, job)) return std::nullopt;
    return message;
}

Result<std::string> written_frame(json message, const std::string &job) {
    message["version"] = version;
    message["job"] = job;
    // Names of hosts and texts of MPIs come from elsewhere and need not be UTF-8.
    std::string frame = message.dump(-1, ' ', false, json::error_handler_t::replace);
    if (frame.size() <= longest_frame) return frame;
    return failed(NEREUS_ERR_PROCESS, "a message for the supervisor has " + std::to_string(frame.size()) +
                                          " bytes; allowed are " + std::to_string(longest_frame));
}

}
