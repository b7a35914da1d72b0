// SPDX-License-Identifier: BSD-3-Clause
// A link whose two ends know one another by keys.
#include "link/link.hpp"
#include "peer.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <thread>

namespace nereus::link {
namespace {

using nlohmann::json;

constexpr double patient = 60, impatient = 0.5; // s

struct Pair {
    Pair() {
        std::array<char, 41> own{}, own_secret{};
        zmq_curve_keypair(own.data(), own_secret.data());
        open = own.data();
        secret = own_secret.data();
    }
    std::string open, secret;
};

/// Lets in who has one public key (ZeroMQ's RFC 27), in a thread.
class Porter {
public:
    Porter(void *context, std::string allowed) : allowed_(std::move(allowed)), socket_(zmq_socket(context, ZMQ_REP)) {
        const int limit = 50;
        zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &limit, sizeof limit);
        zmq_bind(socket_, "inproc://zeromq.zap.01");
        thread_ = std::thread([this] { work(); });
    }
    Porter(const Porter &) = delete;
    Porter &operator=(const Porter &) = delete;
    ~Porter() {
        ends_ = true;
        thread_.join();
        zmq_close(socket_);
    }

private:
    void work() {
        while (!ends_) {
            std::vector<std::string> parts;
            for (int more = 1; more != 0;) {
                std::array<char, 256> bytes{};
                const int size = zmq_recv(socket_, bytes.data(), bytes.size(), 0);
                if (size < 0) break;
                parts.emplace_back(bytes.data(), static_cast<std::size_t>(size));
                std::size_t length = sizeof more;
                zmq_getsockopt(socket_, ZMQ_RCVMORE, &more, &length);
            }
            if (parts.size() == 7) answer(parts);
        }
    }
    void answer(const std::vector<std::string> &parts) {
        std::array<char, 41> key{};
        zmq_z85_encode(key.data(), reinterpret_cast<const std::uint8_t *>(parts[6].data()), 32);
        const std::string status = allowed_ == key.data() ? "200" : "400";
        const std::array<std::string, 6> words{"1.0", parts[1], status, "", "", ""};
        for (std::size_t i = 0; i < words.size(); ++i)
            zmq_send(socket_, words[i].data(), words[i].size(), i + 1 < words.size() ? ZMQ_SNDMORE : 0);
    }

    std::string allowed_;
    void *socket_;
    std::atomic<bool> ends_ = false;
    std::thread thread_;
};

struct EndContext {
    void operator()(void *context) const { zmq_ctx_term(context); }
};

/// A supervisor on the network: with keys, or one that has none.
class Server {
public:
    explicit Server(bool has_keys = true)
        : porter_(context_.get(), client_.open), socket_(zmq_socket(context_.get(), ZMQ_ROUTER)) {
        const int limit = 20000, linger = 0, on = 1;
        zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &limit, sizeof limit);
        zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger);
        zmq_setsockopt(socket_, ZMQ_ROUTER_HANDOVER, &on, sizeof on);
        if (has_keys) {
            zmq_setsockopt(socket_, ZMQ_CURVE_SERVER, &on, sizeof on);
            zmq_setsockopt(socket_, ZMQ_CURVE_SECRETKEY, own_.secret.c_str(), own_.secret.size() + 1);
        }
        zmq_bind(socket_, "tcp://127.0.0.1:*");
        std::array<char, 256> bound{};
        std::size_t size = bound.size();
        zmq_getsockopt(socket_, ZMQ_LAST_ENDPOINT, bound.data(), &size);
        address_ = bound.data();
    }
    Server(const Server &) = delete;
    Server &operator=(const Server &) = delete;
    ~Server() { zmq_close(socket_); }

    const std::string &address() const { return address_; }
    Keys keys() const { return {client_.open, client_.secret, own_.open}; }
    /// Who sends next, and what.
    std::pair<std::string, std::string> receive() {
        std::string sender = part();
        return {std::move(sender), part()};
    }

private:
    std::string part() {
        std::array<char, 4096> bytes{};
        const int size = zmq_recv(socket_, bytes.data(), bytes.size(), 0);
        return size < 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(size));
    }

    Pair own_, client_;
    std::unique_ptr<void, EndContext> context_{zmq_ctx_new()};
    Porter porter_;
    void *socket_;
    std::string address_;
};

Result<Link> opened(const std::string &address, const Keys &keys, double patience, const std::string &name = "") {
    return Link::open(address, job, LinkOptions{true, keys, patience, name});
}

TEST(Handshake, WhoHasTheKeysIsHeard) {
    Server server;
    auto link = opened(server.address(), server.keys(), patient);
    ASSERT_TRUE(link) << link.error().what;
    EXPECT_TRUE(link->send({{"kind", "root"}}));
    EXPECT_EQ(json::parse(server.receive().second)["kind"], "root");
}

TEST(Handshake, AnEndIsKnownByItsName) {
    Server server;
    for (int i = 0; i < 2; ++i) {
        auto link = opened(server.address(), server.keys(), patient, "a-name");
        ASSERT_TRUE(link) << link.error().what;
        EXPECT_TRUE(link->send({{"kind", "root"}}));
        EXPECT_EQ(server.receive().first, "a-name");
    }
}

TEST(Handshake, WhoIsNotKnownIsRefusedAtOnce) {
    Server server;
    const Pair stranger;
    const auto link = opened(server.address(), {stranger.open, stranger.secret, server.keys().other_public}, patient);
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().code, NEREUS_ERR_SETTING);
    EXPECT_EQ(link.error().what, server.address() + ": the other end refuses these keys");
}

TEST(Handshake, AnotherSupervisorIsNotSpokenTo) {
    Server server;
    Keys keys = server.keys();
    keys.other_public = Pair().open;
    const auto link = opened(server.address(), keys, impatient);
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().code, NEREUS_ERR_TIMEOUT);
    EXPECT_EQ(link.error().what, server.address() + ": the other end did not show within 0.5 s that it has these keys");
}

TEST(Handshake, ASupervisorWithoutKeysIsNotSpokenTo) {
    Server server(false);
    const auto link = opened(server.address(), server.keys(), impatient);
    ASSERT_FALSE(link);
    EXPECT_TRUE(link.error().what.starts_with(server.address() + ": the other end ")) << link.error().what;
}

TEST(Handshake, ASupervisorThatIsNotThereHoldsNobodyUpForLong) {
    const Pair one, other;
    const auto link = opened("tcp://127.0.0.1:1", {one.open, one.secret, other.open}, impatient);
    ASSERT_FALSE(link);
    EXPECT_EQ(link.error().code, NEREUS_ERR_TIMEOUT);
}

TEST(Handshake, KeysThatAreNoneAreRefused) {
    const Server server;
    const auto link = opened(server.address(), {"a", "b", "c"}, patient);
    ASSERT_FALSE(link);
    EXPECT_NE(link.error().what.find("none that ZeroMQ takes"), std::string::npos);
}

}
}
