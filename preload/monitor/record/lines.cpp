// SPDX-License-Identifier: BSD-3-Clause
#include "record/lines.hpp"

#include "record/names.hpp"
#include "record/totals.hpp"

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <tuple>

namespace nereus::monitor {
namespace {

using Json = nlohmann::ordered_json;

Json histogram_of(const Count &count) {
    Json filled = Json::object();
    for (int bin = 0; bin < bins; ++bin)
        if (count.histogram[bin] > 0) filled[std::to_string(bin)] = count.histogram[bin];
    return filled;
}

/// What all peers of one line have in common.
Address without_rank(Address address) {
    address.peer &= ~std::uint64_t{0xffffffff};
    return address;
}

void describe(Json &line, const Address &address) {
    line["kind"] = name(address.kind);
    line["generation"] = address.generation;
    if (address.phase != 0) line["phase"] = address.phase;
    if (address.call != Call::none) line["call"] = name(address.call);
    if (address.kind == Kind::read || address.kind == Kind::write)
        line["file"] = address.scope;
    else if (address.scope != 0)
        line["communicator"] = address.scope;
    if (address.reach != Reach::peer)
        line["reach"] = name(address.reach);
    else if (address.peer >> 32 != 0)
        line["to_world"] = address.peer >> 32;
}

Json moved_line(const Arena &arena, const Address &address) {
    Json line{{"event", "moved"}, {"rank", arena.head().rank}};
    describe(line, address);
    return line;
}

bool has_peers(const Address &address) {
    return address.reach == Reach::peer && address.kind != Kind::read && address.kind != Kind::write;
}

/// One line for all peers that are reached in the same way: maps are sorted, so that these follow each other.
void moved_lines(const Arena &arena, const TakeLine &take) {
    std::optional<Address> common;
    Json line;
    const auto end_line = [&] {
        if (common) take(line);
        common.reset();
    };
    for (const auto &[address, count] : totals(arena)) {
        if (!has_peers(address)) {
            end_line();
            Json alone = moved_line(arena, address);
            alone.update({{"messages", count.messages}, {"bytes", count.bytes}, {"histogram", histogram_of(count)}});
            take(alone);
            continue;
        }
        if (common != without_rank(address)) {
            end_line();
            common = without_rank(address);
            line = moved_line(arena, address);
            line["to"] = Json::array();
        }
        line["to"].push_back({address.peer & 0xffffffff, count.messages, count.bytes, histogram_of(count)});
    }
    end_line();
}

Json window_line(const Arena &arena, std::uint32_t window, const Address &address) {
    Json line{{"event", "window"},
              {"rank", arena.head().rank},
              {"window", window},
              {"kind", name(address.kind)},
              {"generation", address.generation}};
    if (address.phase != 0) line["phase"] = address.phase;
    line["rows"] = Json::array();
    return line;
}

void window_lines(const Arena &arena, const TakeLine &take) {
    for (const auto &[window, by_address] : windows(arena)) {
        std::map<std::tuple<Kind, std::uint32_t, std::uint8_t>, Json> lines;
        for (const auto &[address, counted] : by_address) {
            Json &line = lines[{address.kind, address.generation, address.phase}];
            if (line.is_null()) line = window_line(arena, window, address);
            line["rows"].push_back({address.scope, name(address.reach), address.peer >> 32, address.peer & 0xffffffff,
                                    counted.messages, counted.bytes});
        }
        for (const auto &[kind, line] : lines) take(line);
    }
}

/// A damaged record may have no zero at its end.
template <std::size_t N> std::string text_in(const std::array<char, N> &text) {
    return {text.data(), strnlen(text.data(), N)};
}

Json process_line(const ArenaHead &head) {
    return {{"event", "process"},
            {"world", text_in(head.world)},
            {"rank", head.rank},
            {"ranks", head.ranks},
            {"host", text_in(head.host)},
            {"process", head.process},
            {"end", name(static_cast<End>(head.end.load()))},
            {"lost_messages", get(head.lost)}};
}

/// To which job the process belongs.
bool is_of_job(const Json &line) {
    const std::string event = line.value("event", "");
    return event == "supervised" || event == "generation";
}

bool is_any(const Json &) { return true; }

void told_lines(const Arena &arena, const TakeLine &take, bool (*is_wanted)(const Json &)) {
    arena.each<Line>([&](const Line &told) {
        Json line = Json::parse(Arena::text(told), nullptr, false);
        if (!line.is_object() || !is_wanted(line)) return;
        line["rank"] = arena.head().rank;
        take(line);
    });
}

}

void totals_of(const Arena &arena, const TakeLine &take) {
    take(process_line(arena.head()));
    told_lines(arena, take, is_of_job);
    moved_lines(arena, take);
}

void lines_of(const Arena &arena, const TakeLine &take) {
    take(process_line(arena.head()));
    moved_lines(arena, take);
    window_lines(arena, take);
    told_lines(arena, take, is_any);
}

}
