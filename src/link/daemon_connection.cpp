// SPDX-License-Identifier: BSD-3-Clause
#include "link/daemon_connection.hpp"

#include "base/clock.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>
#include <sys/eventfd.h>
#include <unistd.h>

namespace nereus::link {
namespace {

using nlohmann::json;

constexpr std::int64_t no_command = std::numeric_limits<std::int64_t>::max();
constexpr double goodbye_seconds = 1;
constexpr auto look_again = std::chrono::milliseconds(100);

std::uint64_t microseconds_since_1970() {
    const auto since = std::chrono::system_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(since).count());
}

/// Signals are the application's.
class Unsignalled {
public:
    Unsignalled() {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &former_);
    }
    Unsignalled(const Unsignalled &) = delete;
    Unsignalled &operator=(const Unsignalled &) = delete;
    ~Unsignalled() { pthread_sigmask(SIG_SETMASK, &former_, nullptr); }

private:
    sigset_t former_{};
};

}

DaemonConnection::DaemonConnection(Link link, int wake, json about)
    : link_(std::move(link)), wake_(wake), next_command_at_(no_command),
      conversation_(std::move(about), microseconds_since_1970()) {}

Result<std::unique_ptr<DaemonConnection>> DaemonConnection::open(const std::string &address, const std::string &keys,
                                                                 const std::string &job, json about,
                                                                 const json &carried) {
    if (keys.empty() && address.starts_with("tcp://"))
        return failed(NEREUS_ERR_SETTING, "controller = " + address + ": needs the setting controller-keys");
    LinkOptions options{false, std::nullopt};
    if (!keys.empty()) {
        auto read = read_keys(keys, "controller-keys");
        if (!read) return tl::unexpected(read.error());
        options.keys = std::move(*read);
    }
    auto link = Link::open(address, job, options);
    if (!link) return tl::unexpected(link.error());
    const int wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (wake < 0) return failed(NEREUS_ERR_MEMORY, address + ": " + std::strerror(errno));
    std::unique_ptr<DaemonConnection> made(new DaemonConnection(std::move(*link), wake, std::move(about)));
    made->conversation_.opened(now());
    if (!carried.is_null()) {
        made->conversation_.restore(carried, now());
        made->passed(carried.at("iteration"));
    }
    made->note_next_command();
    const Unsignalled from_here;
    made->thread_ = std::thread([daemon = made.get()] { daemon->converse(); });
    return made;
}

DaemonConnection::~DaemonConnection() {
    ends_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
    close(wake_);
}

void DaemonConnection::say_goodbye() {
    const double until = now() + goodbye_seconds;
    insist({{"kind", "goodbye"}});
    std::unique_lock lock(mutex_);
    while (conversation_.insists() && now() < until && conversation_.is_heard(now(), goodbye_seconds))
        changed_.wait_for(lock, look_again);
}

void DaemonConnection::describe(const json &changed) {
    const std::lock_guard lock(mutex_);
    conversation_.describe(changed);
}

void DaemonConnection::say(json message) {
    const std::lock_guard lock(mutex_);
    conversation_.say(std::move(message));
}

void DaemonConnection::insist(json message) {
    {
        const std::lock_guard lock(mutex_);
        conversation_.insist(std::move(message), now());
    }
    wake();
}

std::optional<Command> DaemonConnection::take_command(std::int64_t next) {
    if (next_command_at() > next) return std::nullopt;
    const std::lock_guard lock(mutex_);
    auto command = conversation_.take_command(next);
    note_next_command();
    return command;
}

void DaemonConnection::command_ended(std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    conversation_.command_ended(number);
}

std::uint64_t DaemonConnection::wait_for_turn(std::uint64_t number, std::int64_t bytes, std::int64_t iteration,
                                              double patience) {
    std::unique_lock lock(mutex_);
    conversation_.ask(number, bytes, iteration);
    wake();
    while (conversation_.asks() && conversation_.is_heard(now(), patience)) changed_.wait_for(lock, look_again);
    conversation_.stop_asking();
    return conversation_.granted();
}

void DaemonConnection::give_back_turn() {
    const std::lock_guard lock(mutex_);
    conversation_.give_back();
}

json DaemonConnection::as_json() {
    const std::lock_guard lock(mutex_);
    conversation_.passed(iteration_.load(std::memory_order_relaxed));
    return conversation_.as_json(now());
}

void DaemonConnection::converse() {
    while (!ends_) {
        const double next = send_due();
        link_.wait(wake_, next - now());
        take_in();
    }
    send_due();
}

/// @return when there is something again
double DaemonConnection::send_due() {
    std::unique_lock lock(mutex_);
    conversation_.passed(iteration_.load(std::memory_order_relaxed));
    const auto messages = conversation_.due(now());
    lock.unlock();
    bool sent = true;
    for (const json &message : messages) sent = link_.send(message).has_value() && sent;
    lock.lock();
    if (!sent) conversation_.not_sent(now()); // what matters is said again
    return conversation_.next_due();
}

void DaemonConnection::take_in() {
    std::uint64_t count = 0;
    while (read(wake_, &count, sizeof count) > 0) {
    }
    bool something = false;
    while (auto message = link_.poll()) {
        const std::lock_guard lock(mutex_);
        conversation_.take(*message, now());
        note_next_command();
        something = true;
    }
    if (something) changed_.notify_all();
}

/// With the mutex held.
void DaemonConnection::note_next_command() {
    next_command_at_.store(conversation_.next_command_at().value_or(no_command), std::memory_order_release);
}

void DaemonConnection::wake() const {
    const std::uint64_t one = 1;
    // It fails only where the wait is to end already.
    (void)!write(wake_, &one, sizeof one);
}

}
