// SPDX-License-Identifier: BSD-3-Clause
#include "job/control/supervisor_client.hpp"

#include "job/state/report.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <climits>
#include <cstdio>
#include <random>
#include <thread>
#include <unistd.h>
#include <utility>

namespace nereus::job {

using nlohmann::json;

namespace {

constexpr std::chrono::milliseconds time_between_looks{1};

json shares_of(const plan::Party &party) {
    json shares = json::array();
    for (const plan::Share &share : party.shares) shares.push_back({{"host", share.host}, {"ranks", share.ranks}});
    return shares;
}

}

class SupervisorClient::PartyLine : public process::Line {
public:
    PartyLine(SupervisorClient &supervisor, std::uint64_t request, std::size_t party)
        : supervisor_(supervisor), request_(request), party_(party) {}

    Done send(const json &message) override {
        return supervisor_.send({{"kind", "orders"}, {"request", request_}, {"party", party_}, {"orders", message}});
    }

    Result<std::optional<json>> poll() override {
        if (auto hello = supervisor_.take_hello(request_, party_)) return hello;
        if (auto death = supervisor_.death_in(request_)) return tl::unexpected(*death);
        return std::nullopt;
    }

private:
    SupervisorClient &supervisor_;
    std::uint64_t request_;
    std::size_t party_;
};

class SupervisorClient::PartyStarter : public process::Starter {
public:
    PartyStarter(SupervisorClient &supervisor, std::uint64_t request) : supervisor_(supervisor), request_(request) {}

    Done start(const std::vector<plan::Party> &parties, std::size_t first) override {
        json list = json::array();
        for (std::size_t i = 0; i < parties.size(); ++i)
            list.push_back({{"party", first + i}, {"shares", shares_of(parties[i])}});
        return supervisor_.send({{"kind", "make"}, {"request", request_}, {"parties", list}});
    }

    std::unique_ptr<process::Line> line_to(std::size_t party) override {
        return std::make_unique<PartyLine>(supervisor_, request_, party);
    }

    // Without these words nobody is released from an accept that waits for the dead, and nothing else is lost.
    void connecting(const std::string &port, double seconds) override {
        (void)supervisor_.send({{"kind", "connecting"}, {"request", request_}, {"port", port}, {"seconds", seconds}});
    }
    void connected() override { (void)supervisor_.send({{"kind", "connected"}, {"request", request_}}); }

    std::optional<Error> news() override { return supervisor_.death_in(request_); }

private:
    SupervisorClient &supervisor_;
    std::uint64_t request_;
};

namespace {

/// A newcomer's line, over a link of its own.
class LeaderLine : public process::Line {
public:
    LeaderLine(link::Link link, std::uint64_t request, std::size_t party)
        : link_(std::move(link)), request_(request), party_(party) {}

    Done send(const json &message) override {
        return link_.send({{"kind", "hello"}, {"request", request_}, {"party", party_}, {"hello", message}});
    }

    Result<std::optional<json>> poll() override {
        while (auto message = link_.poll())
            if (message->at("kind") == "orders" && message->contains("orders")) return message->at("orders");
        return std::nullopt;
    }

private:
    link::Link link_;
    std::uint64_t request_;
    std::size_t party_;
};

template <class T> const char *read(const char *first, const char *last, T &into) {
    const auto [end, error] = std::from_chars(first, last, into);
    return error == std::errc{} ? end : nullptr;
}

/// A word that nobody guesses.
std::string secret_word() {
    std::random_device random;
    std::string word;
    for (int i = 0; i < 4; ++i) {
        std::array<char, 9> digits{};
        std::snprintf(digits.data(), digits.size(), "%08x", static_cast<unsigned>(random()));
        word += digits.data();
    }
    return word;
}

template <class Message> std::optional<Message> oldest_of(std::deque<Message> &waiting) {
    if (waiting.empty()) return std::nullopt;
    Message oldest = std::move(waiting.front());
    waiting.pop_front();
    return oldest;
}

bool is_on_the_network(const Settings &settings) { return settings.link.starts_with("tcp://"); }

Result<link::Keys> keys_of(const Settings &settings) {
    if (settings.link_keys.empty())
        return failed(NEREUS_ERR_SETTING, "link = " + settings.link + ": needs the setting link-keys");
    auto keys = link::read_keys(settings.link_keys, "link-keys");
    if (keys) return keys;
    std::array<char, HOST_NAME_MAX + 1> host{};
    gethostname(host.data(), host.size() - 1);
    return failed(keys.error().code, keys.error().what + " (on host " + host.data() +
                                         "; NEREUS_KEY_FOLDER names a folder that all hosts of a job share)");
}

/// A link within this host goes through a folder that nobody else can look into.
Result<link::Link> link_of(const Settings &settings) {
    link::LinkOptions options;
    options.name = secret_word();
    if (is_on_the_network(settings)) {
        auto keys = keys_of(settings);
        if (!keys) return tl::unexpected(keys.error());
        options.keys = std::move(*keys);
        options.patience = settings.connect_timeout;
    }
    return link::Link::open(settings.link, settings.job, options);
}

}

Done check_link(const Settings &settings) {
    if (!is_on_the_network(settings)) return {};
    auto keys = keys_of(settings);
    return keys ? Done{} : Done(tl::unexpected(keys.error()));
}

Result<std::unique_ptr<SupervisorClient>> SupervisorClient::open(const Settings &settings) {
    if (settings.link.empty()) return nullptr;
    auto link = link_of(settings);
    if (!link) return tl::unexpected(link.error());
    return std::unique_ptr<SupervisorClient>(new SupervisorClient(std::move(*link)));
}

Done SupervisorClient::send(json message) {
    const std::lock_guard guard(mutex_);
    return link_.send(std::move(message));
}

void SupervisorClient::say_root(const Generation &generation, const std::string &token) {
    (void)send({{"kind", "root"},
                {"generation", generation.number},
                {"ranks", generation.control.size()},
                {"hosts", generation.hosts},
                {"token", token}});
}

std::string SupervisorClient::hand_on() {
    next_root_ = secret_word();
    return next_root_;
}

void SupervisorClient::say_members(std::int64_t generation, const std::vector<process::ProcessId> &processes,
                                   const std::vector<std::string> &hosts) {
    (void)send({{"kind", "members"}, {"generation", generation}, {"processes", processes}, {"hosts", hosts}});
}

void SupervisorClient::say_settled(const nereus_resize_report &report, const std::string &message) {
    forget(report.request);
    (void)send({{"kind", "settled"},
                {"request", report.request},
                {"code", report.code},
                {"message", message},
                {"report", for_people(report)},
                {"next_root", std::exchange(next_root_, {})}});
}

void SupervisorClient::say_closing() { (void)send({{"kind", "closing"}}); }

void SupervisorClient::say_saved(const SaveOutcome &outcome) {
    (void)send({{"kind", "saved"},
                {"request", outcome.request},
                {"code", outcome.code},
                {"message", outcome.message},
                {"epoch", outcome.epoch},
                {"iteration", outcome.iteration},
                {"bytes", outcome.bytes},
                {"seconds", outcome.seconds},
                {"stops", outcome.stops},
                {"in_memory", outcome.in_memory}});
}

Result<json> SupervisorClient::keep(std::uint64_t request, std::uint64_t epoch, const json &handles,
                                    const Deadline &deadline) {
    if (auto done = send({{"kind", "keep"}, {"request", request}, {"epoch", epoch}, {"handles", handles}}); !done)
        return tl::unexpected(done.error());
    while (true) {
        {
            const std::lock_guard guard(mutex_);
            sort_in();
            if (auto answer = kept_.extract(request)) return std::move(answer.mapped());
        }
        if (auto over = deadline.over("keeping shared memory")) return tl::unexpected(*over);
        std::this_thread::sleep_for(time_between_looks);
    }
}

void SupervisorClient::say_restart(std::uint64_t request, const plan::Party &after, const plan::Party &before) {
    (void)send(
        {{"kind", "restart"}, {"request", request}, {"shares", shares_of(after)}, {"before", shares_of(before)}});
}

void SupervisorClient::answer(const json &ticket, int code, const std::string &message, std::uint64_t number) {
    (void)send({{"kind", "answer"}, {"ticket", ticket}, {"code", code}, {"message", message}, {"request", number}});
}

std::optional<OutsideRequest> SupervisorClient::next_request() {
    const std::lock_guard guard(mutex_);
    sort_in();
    return oldest_of(requests_);
}

std::optional<OutsideSave> SupervisorClient::next_save() {
    const std::lock_guard guard(mutex_);
    return oldest_of(saves_);
}

void SupervisorClient::forget(std::uint64_t request) {
    const std::lock_guard guard(mutex_);
    std::erase_if(hellos_, [request](const auto &waiting) { return waiting.first.first == request; });
    deaths_.erase(request);
}

std::unique_ptr<process::Starter> SupervisorClient::starter(std::uint64_t number) {
    return std::make_unique<PartyStarter>(*this, number);
}

std::optional<json> SupervisorClient::take_hello(std::uint64_t request, std::size_t party) {
    const std::lock_guard guard(mutex_);
    sort_in();
    auto &waiting = hellos_[{request, party}];
    if (waiting.empty()) return std::nullopt;
    json oldest = std::move(waiting.front());
    waiting.pop_front();
    return oldest;
}

std::optional<Error> SupervisorClient::death_in(std::uint64_t request) {
    const std::lock_guard guard(mutex_);
    sort_in();
    const auto found = deaths_.find(request);
    if (found == deaths_.end()) return std::nullopt;
    return found->second;
}

/// Reads what has come in. What is not as it should be is dropped: the supervisor is another program.
void SupervisorClient::sort_in() {
    while (auto message = link_.poll()) try {
            const std::string kind = message->at("kind");
            if (kind == "resize") {
                requests_.push_back({message->at("ticket"), message->at("ranks"), message->at("options")});
            } else if (kind == "save") {
                saves_.push_back({message->at("ticket"), message->at("stops")});
            } else if (kind == "kept") {
                kept_[message->at("request")] = message->at("handles");
            } else if (kind == "hello") {
                const std::pair<std::uint64_t, std::size_t> key(message->at("request"), message->at("party"));
                hellos_[key].push_back(message->at("hello"));
            } else if (kind == "died") {
                const std::string reason = message->at("reason");
                deaths_.emplace(message->at("request").get<std::uint64_t>(),
                                Error{NEREUS_ERR_PROCESS, "new processes ended: " + reason});
            }
        } catch (const json::exception &) {
            continue;
        }
}

Result<PartyWay> way_of_party(const Settings &settings) {
    std::uint64_t request = 0;
    std::size_t party = 0;
    const char *last = settings.party.data() + settings.party.size();
    const char *point = read(settings.party.data(), last, request);
    if (point == nullptr || point == last || *point != '.' || read(point + 1, last, party) != last)
        return failed(NEREUS_ERR_SETTING, "party = " + settings.party + ": allowed is REQUEST.PARTY");
    auto link = link_of(settings);
    if (!link) return tl::unexpected(link.error());
    return PartyWay{std::make_unique<LeaderLine>(std::move(*link), request, party), party};
}

}
