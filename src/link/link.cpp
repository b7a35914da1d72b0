// SPDX-License-Identifier: BSD-3-Clause
#include "link/link.hpp"

#include "link/handshake.hpp"
#include "link/message.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <string_view>
#include <zmq.h>

namespace nereus::link {
namespace {

constexpr int linger_milliseconds = 1000;
/// Frames that one poll may drop, so that a peer that floods us does not hold up the application.
constexpr int most_dropped = 100;

/// One part of a message as it came in.
class Part {
public:
    Part() { zmq_msg_init(&message_); }
    Part(const Part &) = delete;
    Part &operator=(const Part &) = delete;
    ~Part() { zmq_msg_close(&message_); }

    /// False when nothing has come in.
    bool receive(void *socket) { return zmq_msg_recv(&message_, socket, ZMQ_DONTWAIT) >= 0; }
    bool more_follow() const { return zmq_msg_more(&message_) != 0; }
    std::string_view bytes() { return {static_cast<const char *>(zmq_msg_data(&message_)), zmq_msg_size(&message_)}; }

private:
    zmq_msg_t message_;
};

bool has_known_transport(std::string_view address) {
    return address.starts_with("ipc://") || address.starts_with("tcp://");
}

tl::unexpected<Error> bad_address(const std::string &address, const std::string &why) {
    return failed(NEREUS_ERR_SETTING, address + ": " + why + "; allowed is ipc://PATH or tcp://HOST:PORT");
}

/// Reads away the other parts of a message whose first part said that more follow. They are there already.
void drop_rest(void *socket) {
    for (bool more = true; more;) {
        Part part;
        more = part.receive(socket) && part.more_follow();
    }
}

}

class Link::Ends {
public:
    explicit Ends(const LinkOptions &options)
        : context_(zmq_ctx_new()), socket_(context_ ? zmq_socket(context_, ZMQ_DEALER) : nullptr) {
        if (!socket_) return;
        const int connected_only = options.keeps ? 0 : 1;
        zmq_setsockopt(socket_, ZMQ_LINGER, &linger_milliseconds, sizeof linger_milliseconds);
        zmq_setsockopt(socket_, ZMQ_IMMEDIATE, &connected_only, sizeof connected_only);
        if (!options.name.empty()) zmq_setsockopt(socket_, ZMQ_ROUTING_ID, options.name.data(), options.name.size());
        if (options.keys) are_used_ = use(*options.keys);
    }
    Ends(const Ends &) = delete;
    Ends &operator=(const Ends &) = delete;
    ~Ends() {
        if (socket_) zmq_close(socket_);
        while (context_ && zmq_ctx_term(context_) != 0 && errno == EINTR) {
        }
    }
    void *socket() const { return socket_; }
    bool keys_are_used() const { return are_used_; }

    Done connect(const std::string &address, const LinkOptions &options) {
        std::optional<Handshake> handshake;
        if (options.keys && options.patience > 0) handshake.emplace(context_, socket_);
        if (zmq_connect(socket_, address.c_str()) != 0) return bad_address(address, zmq_strerror(errno));
        if (!handshake) return {};
        if (auto known = handshake->wait(options.patience); !known)
            return failed(known.error().code, address + ": " + known.error().what);
        return {};
    }

private:
    bool use(const Keys &keys) {
        const auto set = [this](int which, const std::string &key) {
            return zmq_setsockopt(socket_, which, key.c_str(), key.size() + 1) == 0;
        };
        return set(ZMQ_CURVE_SERVERKEY, keys.other_public) && set(ZMQ_CURVE_PUBLICKEY, keys.own_public) &&
               set(ZMQ_CURVE_SECRETKEY, keys.own_secret);
    }

    void *context_;
    void *socket_;
    bool are_used_ = true;
};

void Link::EndsDeleter::operator()(Ends *ends) const { delete ends; }

Link::Link(std::unique_ptr<Ends, EndsDeleter> ends, std::string job) : ends_(std::move(ends)), job_(std::move(job)) {}

Result<Link> Link::open(const std::string &address, const std::string &job, const LinkOptions &options) {
    if (!has_known_transport(address)) return bad_address(address, "not the address of a supervisor or a daemon");
    if (job.empty()) return failed(NEREUS_ERR_SETTING, address + ": the setting job is missing");
    std::unique_ptr<Ends, EndsDeleter> ends(new Ends(options));
    if (!ends->socket()) return failed(NEREUS_ERR_MEMORY, address + ": " + zmq_strerror(errno));
    if (!ends->keys_are_used()) return failed(NEREUS_ERR_SETTING, address + ": its keys are none that ZeroMQ takes");
    if (auto done = ends->connect(address, options); !done) return tl::unexpected(done.error());
    return Link(std::move(ends), job);
}

Done Link::send(nlohmann::json message) {
    const auto frame = written_frame(std::move(message), job_);
    if (!frame) return tl::unexpected(frame.error());
    if (zmq_send(ends_->socket(), frame->data(), frame->size(), ZMQ_DONTWAIT) >= 0) return {};
    const char *why = errno == EAGAIN ? "there is no receiver, or too many messages wait" : zmq_strerror(errno);
    return failed(NEREUS_ERR_PROCESS, std::string("a message cannot be sent: ") + why);
}

std::optional<nlohmann::json> Link::poll() {
    for (int dropped = 0; dropped < most_dropped; ++dropped) {
        Part part;
        if (!part.receive(ends_->socket())) break;
        if (part.more_follow())
            drop_rest(ends_->socket());
        else if (auto message = read_frame(part.bytes(), job_))
            return message;
    }
    return std::nullopt;
}

void Link::wait(int other, double seconds) {
    constexpr double longest = 1e6;
    std::array<zmq_pollitem_t, 2> items{{{.socket = ends_->socket(), .fd = 0, .events = ZMQ_POLLIN, .revents = 0},
                                         {.socket = nullptr, .fd = other, .events = ZMQ_POLLIN, .revents = 0}}};
    const double milliseconds = std::ceil(std::clamp(seconds, 0.0, longest) * 1000);
    zmq_poll(items.data(), static_cast<int>(items.size()), static_cast<long>(milliseconds));
}

}
