// SPDX-License-Identifier: BSD-3-Clause
// The other end of a link: a socket in a folder that goes with the test.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>
#include <zmq.h>

namespace nereus::link {

inline const std::string job = "0123456789abcdef"; ///< its key

/// A folder that goes with the test.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "nereus-link-XXXXXX").string();
        if (!mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
        path_ = name;
    }
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    ~Folder() { std::filesystem::remove_all(path_); }
    const std::filesystem::path &path() const { return path_; }
    std::string address() const { return "ipc://" + (path_ / "link").string(); }

private:
    std::filesystem::path path_;
};

/// The supervisor's or the daemon's socket.
class Peer {
public:
    explicit Peer(const std::string &address) : context_(zmq_ctx_new()), socket_(zmq_socket(context_, ZMQ_ROUTER)) {
        const int limit = 20000;
        const int linger = 0;
        zmq_setsockopt(socket_, ZMQ_RCVTIMEO, &limit, sizeof limit);
        zmq_setsockopt(socket_, ZMQ_LINGER, &linger, sizeof linger);
        if (zmq_bind(socket_, address.c_str()) != 0) throw std::runtime_error(zmq_strerror(errno));
    }
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;
    ~Peer() {
        zmq_close(socket_);
        zmq_ctx_term(context_);
    }

    /// The next frame that comes in; "" after the time limit.
    std::string receive() {
        sender_ = part();
        return part();
    }
    /// To whoever sent last, in as many parts as given.
    void send(const std::vector<std::string> &parts) {
        zmq_send(socket_, sender_.data(), sender_.size(), ZMQ_SNDMORE);
        for (std::size_t i = 0; i < parts.size(); ++i)
            zmq_send(socket_, parts[i].data(), parts[i].size(), i + 1 < parts.size() ? ZMQ_SNDMORE : 0);
    }

private:
    std::string part() {
        std::string bytes(4096, '\0');
        const int size = zmq_recv(socket_, bytes.data(), bytes.size(), 0);
        bytes.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return bytes;
    }
    void *context_;
    void *socket_;
    std::string sender_;
};

}
