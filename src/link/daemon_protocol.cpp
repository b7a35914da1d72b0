// SPDX-License-Identifier: BSD-3-Clause
#include "link/daemon_protocol.hpp"

#include <nereus/errors.h>

#include <algorithm>

namespace nereus::link {
namespace {

using nlohmann::json;

constexpr double shortest_heartbeat = 0.01, longest_heartbeat = 1; // s
constexpr std::uint64_t greatest_number = std::uint64_t{1} << 53;  // that every reader of JSON can read
constexpr std::size_t most_once = 256; // messages that go out one by one, as samples: the oldest count least
/// Heartbeats without an answer, after which the daemon is taken for gone.
constexpr double silent_heartbeats = 6;

/// The number that `message` has by that name; 0 where it is none that every reader can read.
std::uint64_t number_of(const json &message, const char *key) {
    const json &value = message.at(key);
    return value.is_number_integer() && value >= 0 && value <= greatest_number ? value.get<std::uint64_t>() : 0;
}

/// `ranks` is a number of processes, and each option a text.
bool is_sound(const json &ranks, const json &options) {
    if (!ranks.is_number_integer() || ranks < 1 || ranks > 2147483647 || !options.is_object()) return false;
    return std::all_of(options.begin(), options.end(), [](const json &value) { return value.is_string(); });
}

}

void Conversation::say(json message) {
    if (!welcomed_) return;
    once_.push_back(std::move(message));
    if (once_.size() > most_once) once_.pop_front();
}

void Conversation::insist(json message, double since) {
    message["id"] = ++last_id_;
    if (insisted_.size() >= most_insisted) insisted_.erase(insisted_.begin());
    insisted_.emplace(last_id_, Insisted{std::move(message), since, 0});
}

void Conversation::ask(std::uint64_t number, std::int64_t bytes, std::int64_t iteration) {
    number_ = number;
    granted_ = epoch_ = 0;
    asked_ = Asked{number, bytes, iteration, 0};
}

void Conversation::give_back() {
    stop_asking();
    number_ = 0;
    granted_ = epoch_ = 0;
}

std::optional<std::int64_t> Conversation::next_command_at() const {
    if (commands_.empty()) return std::nullopt;
    return commands_.begin()->second.at;
}

std::optional<Command> Conversation::take_command(std::int64_t next) {
    const auto at = next_command_at();
    if (!at || *at > next) return std::nullopt;
    Command oldest = std::move(commands_.begin()->second);
    commands_.erase(commands_.begin());
    taken_.insert(oldest.number);
    last_taken_ = oldest.number;
    cancelled_.erase(cancelled_.begin(), cancelled_.upper_bound(last_taken_));
    return oldest;
}

void Conversation::command_ended(std::uint64_t number) { taken_.erase(number); }

void Conversation::take(const json &message, double now) try {
    const std::string kind = message.at("kind");
    heard_ = now;
    times_not_sent_ = 0;
    if (kind == "who") {
        welcomed_ = false;
        next_hello_ = now;
    } else if (kind == "welcome") {
        take_welcome(message);
        next_heartbeat_ = now + every_;
    } else {
        take_known(kind, message, now);
    }
} catch (const json::exception &) {
    return; // the daemon is another program
}

void Conversation::take_known(const std::string &kind, const json &message, double now) {
    if (kind == "noted")
        insisted_.erase(number_of(message, "id"));
    else if (kind == "grant")
        take_grant(message);
    else if (kind == "resize")
        take_resize(message, now);
    else if (kind == "cancel")
        take_cancel(number_of(message, "command"));
    else if (kind == "alive" && !message.at("turn").get<bool>() && message.at("epoch") == epoch_)
        epoch_ = 0; // another job may write now: nothing can be done about it within a phase
}

void Conversation::take_welcome(const json &message) {
    const double every = message.at("heartbeat_seconds");
    welcomed_ = true;
    every_ = std::clamp(every, shortest_heartbeat, longest_heartbeat);
    // What it was told may not have reached this daemon, if it is a new one.
    for (auto &[id, each] : insisted_) each.next = 0;
}

void Conversation::take_grant(const json &message) {
    const std::uint64_t epoch = number_of(message, "epoch");
    if (!asked_ || epoch == 0 || number_of(message, "number") != asked_->number) return;
    granted_ = epoch_ = epoch;
    stop_asking();
}

void Conversation::take_resize(const json &message, double now) {
    const std::uint64_t number = number_of(message, "command");
    if (number == 0) return;
    say({{"kind", "heard"}, {"command", number}});
    if (is_known(number)) return;
    const json &ranks = message.at("ranks");
    const json options = message.value("options", json::object());
    const json at = message.value("at", json(0));
    const bool sound = is_sound(ranks, options) && at.is_number_integer() && at >= 0;
    if (sound && commands_.size() < most_commands) {
        commands_[number] = {number, ranks, at, options};
        return;
    }
    if (cancelled_.size() < most_commands) cancelled_.insert(number);
    const char *why = sound ? "too many commands wait already"
                            : "allowed are ranks of 1 .. 2147483647, at >= 0, and options that are texts";
    insist({{"kind", "refused"}, {"command", number}, {"code", NEREUS_ERR_RANGE}, {"message", why}}, now);
}

/// One that is under way is carried out.
void Conversation::take_cancel(std::uint64_t number) {
    if (number == 0) return;
    say({{"kind", "heard"}, {"command", number}});
    commands_.erase(number);
    if (number > last_taken_ && cancelled_.size() < most_commands) cancelled_.insert(number);
}

bool Conversation::is_known(std::uint64_t number) const {
    return number <= last_taken_ || commands_.contains(number) || cancelled_.contains(number);
}

json Conversation::hello() const {
    json commands = json::array();
    for (const std::uint64_t number : taken_) commands.push_back(number);
    for (const auto &[number, command] : commands_) commands.push_back(number);
    json message = about_;
    message.update(
        {{"kind", "hello"}, {"iteration", iteration_}, {"asked", number_}, {"epoch", epoch_}, {"commands", commands}});
    return message;
}

std::vector<json> Conversation::due(double now) {
    if (welcomed_ && now - heard_ > silent_heartbeats * every_) welcomed_ = false;
    std::vector<json> messages = welcomed_ ? due_to_one_that_knows(now) : due_to_a_stranger(now);
    for (json &each : messages) each["opening"] = opening_;
    return messages;
}

std::vector<json> Conversation::due_to_a_stranger(double now) {
    if (now < next_hello_) return {};
    next_hello_ = now + repeat_seconds;
    return {hello()};
}

std::vector<json> Conversation::due_to_one_that_knows(double now) {
    std::vector<json> messages;
    if (now >= next_heartbeat_) {
        next_heartbeat_ = now + every_;
        messages.push_back({{"kind", "heartbeat"}, {"iteration", iteration_}, {"epoch", epoch_}});
    }
    if (asked_ && now >= asked_->next) {
        asked_->next = now + ask_again_seconds;
        messages.push_back({{"kind", "io_request"},
                            {"number", asked_->number},
                            {"bytes", asked_->bytes},
                            {"iteration", asked_->iteration}});
    }
    for (auto &[id, each] : insisted_) {
        if (now < each.next) continue;
        each.next = now + repeat_seconds;
        if (each.message.contains("age_seconds")) each.message["age_seconds"] = std::max(0.0, now - each.since);
        messages.push_back(each.message);
    }
    for (json &each : once_) messages.push_back(std::move(each));
    once_.clear();
    return messages;
}

/// A connection takes a few milliseconds at first; a daemon that is not there is looked for less and less often.
void Conversation::not_sent(double now) {
    constexpr double first_retry = 0.01;
    const double again = now + std::min(repeat_seconds, first_retry * ++times_not_sent_);
    if (!welcomed_) {
        next_hello_ = again;
        return;
    }
    next_heartbeat_ = std::min(next_heartbeat_, again);
    if (asked_) asked_->next = std::min(asked_->next, again);
    for (auto &[id, each] : insisted_) each.next = std::min(each.next, again);
}

double Conversation::next_due() const {
    if (!welcomed_) return next_hello_;
    if (!once_.empty()) return 0;
    double next = next_heartbeat_;
    if (asked_) next = std::min(next, asked_->next);
    for (const auto &[id, each] : insisted_) next = std::min(next, each.next);
    return next;
}

json Conversation::as_json(double now) const {
    json insisted = json::array();
    for (const auto &[id, each] : insisted_)
        insisted.push_back({{"message", each.message}, {"age", std::max(0.0, now - each.since)}});
    json commands = json::array();
    for (const auto &[number, each] : commands_)
        commands.push_back({{"command", number}, {"ranks", each.ranks}, {"at", each.at}, {"options", each.options}});
    return {{"opening", opening_},       {"iteration", iteration_}, {"last_id", last_id_}, {"insisted", insisted},
            {"last_taken", last_taken_}, {"commands", commands},    {"taken", taken_},     {"cancelled", cancelled_}};
}

void Conversation::restore(const json &json, double now) {
    opening_ = json.at("opening");
    iteration_ = json.at("iteration");
    last_id_ = json.at("last_id");
    last_taken_ = json.at("last_taken");
    cancelled_ = json.at("cancelled").get<std::set<std::uint64_t>>();
    for (const auto &each : json.at("insisted")) {
        const std::uint64_t id = each.at("message").at("id");
        insisted_.emplace(id, Insisted{each.at("message"), now - each.at("age").get<double>(), 0});
    }
    for (const auto &each : json.at("commands")) {
        const std::uint64_t number = each.at("command");
        commands_[number] = {number, each.at("ranks"), each.at("at"), each.at("options")};
    }
    // It is known there: what it insists on is heard first.
    welcomed_ = true;
    heard_ = now;
    taken_ = json.at("taken").get<std::set<std::uint64_t>>();
}

}
