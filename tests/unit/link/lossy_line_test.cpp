// SPDX-License-Identifier: BSD-3-Clause
// A job that writes, a small model of a daemon, and a line between them that loses, doubles and delays messages.
#include "link/daemon_protocol.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>

namespace nereus::link {
namespace {

using nlohmann::json;

constexpr double step = 0.02;    // s of simulated time
constexpr double patience = 2;   // the job's
constexpr double too_long = 300; // no fault below lasts as long
constexpr double calm = 20;      // after the last fault
constexpr double least_late = 0.05, most_late = 3;

enum class Fate : std::uint8_t { arrives, lost, doubled, late };

/// What becomes of messages; those behind the last fate arrive.
struct Fates {
    std::vector<std::pair<Fate, double>> of; ///< and how late it is
    std::size_t next = 0;

    std::pair<Fate, double> take() { return next < of.size() ? of[next++] : std::pair{Fate::arrives, 0.0}; }
};

/// One direction of a line.
class Wire {
public:
    explicit Wire(Fates &fates) : fates_(fates) {}

    void send(const json &message, double now) {
        const auto [fate, delay] = fates_.take();
        if (fate == Fate::lost) return;
        messages_.emplace(now + (fate == Fate::late ? delay : 0), message);
        if (fate == Fate::doubled) messages_.emplace(now + delay, message);
    }
    std::vector<json> arrived(double now) {
        std::vector<json> here;
        const auto end = messages_.upper_bound(now);
        for (auto each = messages_.begin(); each != end; ++each) here.push_back(each->second);
        messages_.erase(messages_.begin(), end);
        return here;
    }

private:
    Fates &fates_;
    std::multimap<double, json> messages_;
};

/// From when to when, in seconds.
struct Span {
    double begin = 0;
    double end = 0;
    bool holds(double now) const { return now >= begin && now < end; }
};

/// Gives the job turns as docs/formats/daemon.md says; another job writes for a while, and it may be down for one.
class Daemon {
public:
    Daemon(Span another_writes, Span down) : another_writes_(another_writes), down_(down) {}

    std::vector<json> hear(const std::vector<json> &messages, double now) {
        if (down_.holds(now)) {
            knows_ = false;
            return {};
        }
        std::vector<json> answers;
        for (const json &each : messages) answer(each, answers);
        if (knows_ && asked_ > done_ && held_ != asked_ && !another_writes_.holds(now)) {
            held_ = asked_;
            grants_[held_] = ++epoch_;
            answers.push_back(grant());
        }
        return answers;
    }
    bool gave(std::uint64_t number, std::uint64_t epoch) const {
        const auto found = grants_.find(number);
        return found != grants_.end() && found->second == epoch;
    }

private:
    json grant() const { return {{"kind", "grant"}, {"number", held_}, {"epoch", grants_.at(held_)}}; }

    void answer(const json &message, std::vector<json> &answers) {
        const std::string kind = message.at("kind");
        if (kind == "hello") {
            knows_ = true;
            answers.push_back({{"kind", "welcome"}, {"heartbeat_seconds", 0.5}, {"lease_seconds", 10}});
        } else if (!knows_) {
            answers.push_back({{"kind", "who"}});
        } else if (kind == "heartbeat") {
            answers.push_back({{"kind", "alive"}, {"epoch", message.at("epoch")}, {"turn", true}});
        } else if (kind == "io_request") {
            asked_ = std::max(asked_, message.at("number").get<std::uint64_t>());
            if (held_ == asked_ && held_ > done_) answers.push_back(grant());
        } else if (kind == "io_done") {
            done_ = std::max(done_, message.at("number").get<std::uint64_t>());
            answers.push_back({{"kind", "noted"}, {"id", message.at("id")}});
        }
    }

    Span another_writes_, down_;
    bool knows_ = false;
    std::uint64_t asked_ = 0, held_ = 0, done_ = 0; ///< phases
    std::uint64_t epoch_ = 100;
    std::map<std::uint64_t, std::uint64_t> grants_; ///< epochs, by phase
};

/// Both ends and what is between them.
class Scene {
public:
    Scene(const Fates &fates, Span another_writes, Span down)
        : fates_(fates), daemon_(another_writes, down), last_fault_(std::max(another_writes.end, down.end)) {
        job_.opened(0);
    }

    void pass(double seconds) {
        for (const double until = now_ + seconds; now_ < until;) tick();
    }
    /// An I/O phase, as link::Controller has it.
    void write() {
        job_.ask(++phase_, 0, 0);
        const double asked = now_;
        while (job_.asks() && job_.is_heard(now_, patience)) {
            tick();
            RC_ASSERT(now_ - asked < too_long);
        }
        job_.stop_asking();
        const std::uint64_t epoch = job_.granted();
        RC_ASSERT(epoch == 0 || daemon_.gave(phase_, epoch));
        has_turn_ = epoch != 0;
        pass(0.3);
        job_.give_back();
        job_.insist({{"kind", "io_done"}, {"number", phase_}, {"epoch", epoch}, {"age_seconds", 0}}, now_);
    }
    /// Until all faults are behind, and what they led to.
    void come_to_rest() {
        while (fates_.next < fates_.of.size()) {
            tick();
            RC_ASSERT(now_ < too_long);
        }
        pass(std::max(0.0, last_fault_ - now_) + calm);
    }
    bool has_turn() const { return has_turn_; }
    bool all_is_noted() const { return !job_.insists(); }

private:
    void tick() {
        now_ += step;
        for (const json &each : to_job_.arrived(now_)) job_.take(each, now_);
        for (const json &each : job_.due(now_)) to_daemon_.send(each, now_);
        for (const json &each : daemon_.hear(to_daemon_.arrived(now_), now_)) to_job_.send(each, now_);
    }

    Fates fates_;
    Wire to_job_{fates_}, to_daemon_{fates_};
    Conversation job_{{{"most", 8}}, 1};
    Daemon daemon_;
    double last_fault_;
    double now_ = 0;
    std::uint64_t phase_ = 0;
    bool has_turn_ = false;
};

Fates any_fates() {
    const auto fate = rc::gen::element(Fate::arrives, Fate::lost, Fate::doubled, Fate::late);
    const auto delay = rc::gen::map(rc::gen::inRange(0, 100),
                                    [](int percent) { return least_late + (most_late - least_late) * percent / 100; });
    return {*rc::gen::container<std::vector<std::pair<Fate, double>>>(rc::gen::pair(fate, delay)), 0};
}

Span any_span() {
    const double begin = *rc::gen::inRange(0, 100) / 10.0;
    return {begin, begin + *rc::gen::inRange(0, 100) / 10.0};
}

RC_GTEST_PROP(LossyLine, EachPhaseBeginsAndTheLastOneHasItsTurnWhateverTheLineDidBefore, ()) {
    Scene scene(any_fates(), any_span(), any_span());
    for (int phase = 0; phase < 3; ++phase) {
        scene.write();
        scene.pass(*rc::gen::inRange(0, 20) / 10.0);
    }
    scene.come_to_rest();
    RC_ASSERT(scene.all_is_noted());
    scene.write();
    RC_ASSERT(scene.has_turn());
    scene.pass(calm);
    RC_ASSERT(scene.all_is_noted());
}

RC_GTEST_PROP(LossyLine, ADaemonThatIsGoneForGoodHoldsUpNoPhase, ()) {
    const double gone = *rc::gen::inRange(0, 100) / 10.0;
    Scene scene(any_fates(), any_span(), {gone, 2 * too_long});
    for (int phase = 0; phase < 3; ++phase) scene.write();
    scene.pass(gone + calm);
    scene.write();
    RC_ASSERT(!scene.has_turn());
}

}
}
