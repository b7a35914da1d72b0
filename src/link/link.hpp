// SPDX-License-Identifier: BSD-3-Clause
// A process' end of the link to the supervisor that started it, docs/formats/link.md, or to the daemon of many
// jobs, docs/formats/daemon.md.
//
// In:  the other end's address and the job's name, as they were given to the process.
// Out: messages that go out by themselves, and those that came in. Nothing here waits for the other end,
//      which may be slow, gone, or never have been there.
// A link is used by one thread at a time. Knows nothing of MPI, resizes or what the messages mean.
#pragma once

#include "base/error.hpp"
#include "link/keys.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace nereus::link {

/// How the other end is spoken to.
struct LinkOptions {
    bool keeps = true;        ///< messages, while nobody is there; else they are dropped
    std::optional<Keys> keys; ///< by which the two know one another
    double patience = 0;      ///< s to wait, with keys, until they do; 0: they may later
    std::string name{};       ///< that nobody else knows: of this end after a connection broke; "": it is another then
};

class Link {
public:
    /// `address` is ipc://PATH or tcp://HOST:PORT. The other end need not be there yet.
    /// With keys and patience it is waited for, and an error where it does not come or has other keys.
    static Result<Link> open(const std::string &address, const std::string &job, const LinkOptions &options = {});

    /// Hands `message`, an object, over for sending, with version and job put in. An error when it is too long, when
    /// too many wait already, or when it would be dropped.
    Done send(nlohmann::json message);

    /// The next message for this job, if one has come in; what cannot be read is dropped. Cheap enough for each
    /// iteration of an application: a microsecond when there is none.
    std::optional<nlohmann::json> poll();

    /// Until a message has come in, the descriptor `other` can be read, or the time is over.
    void wait(int other, double seconds);

private:
    /// The sockets of ZeroMQ; their end lets messages that wait go out for a second at most.
    class Ends;
    struct EndsDeleter {
        void operator()(Ends *ends) const;
    };

    Link(std::unique_ptr<Ends, EndsDeleter> ends, std::string job);

    std::unique_ptr<Ends, EndsDeleter> ends_;
    std::string job_;
};

}
