// SPDX-License-Identifier: BSD-3-Clause
// A process' end of the link to the supervisor that started it: docs/formats/link.md.
//
// In:  the supervisor's address and the job's name, as the supervisor gave them.
// Out: messages that go out by themselves, and those that came in. Nothing here waits for the supervisor,
//      which may be slow, gone, or never have been there.
// A link is used by one thread at a time. Knows nothing of MPI, resizes or what the messages mean.
#pragma once

#include "base/error.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace nereus::link {

class Link {
public:
    /// `address` is ipc://PATH or tcp://HOST:PORT. The supervisor need not be there yet.
    static Result<Link> open(const std::string &address, const std::string &job);

    /// Hands `message`, an object, over for sending, with version and job put in. An error when it is too long or
    /// when too many wait already.
    Done send(nlohmann::json message);

    /// The next message for this job, if one has come in; what cannot be read is dropped. Cheap enough for each
    /// iteration of an application: a microsecond when there is none.
    std::optional<nlohmann::json> poll();

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
