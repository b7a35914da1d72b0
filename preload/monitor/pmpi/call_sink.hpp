// SPDX-License-Identifier: BSD-3-Clause
// To whom each call is told, with its time, while there is somebody: `nereus capture` (captured.hpp), `nereus trace`
// (traced.hpp).
#pragma once

#include "record/timed_calls.hpp"

#include <atomic>

namespace nereus::pmpi {

/// Of a message, as the program gives it: MPI's words for any rank or tag, or none, are below 0.
struct Envelope {
    std::int32_t peer = monitor::CallShape::none; ///< rank in the communicator
    std::int32_t tag = 0;
    bool is_sent = false;   ///< else the call asks for it
    bool may_arrive = true; ///< another message, in the same call
};

inline Envelope sent_to(std::int32_t peer, std::int32_t tag) { return {peer, tag, true, false}; }
inline Envelope exchanged_with(std::int32_t peer, std::int32_t tag) { return {peer, tag, true, true}; }
inline Envelope asked_of(std::int32_t peer, std::int32_t tag) { return {peer, tag, false, true}; }

class CallSink {
public:
    virtual ~CallSink() = default;

    /// Whether a call is to be told that this thread makes and that returns to `caller`.
    virtual bool takes(const void *caller) const = 0;
    /// Whether it wants to know which messages arrived (messages.hpp).
    virtual bool follows_messages() const { return false; }
    virtual monitor::Moment now() const = 0;
    /// `envelope`: of the message that the call sends or asks for, where it does.
    virtual void note(const monitor::CallShape &shape, Envelope envelope, monitor::Moment begin,
                      monitor::Moment end) = 0;
    /// A look whether something has come, in vain.
    virtual void note_in_vain(const monitor::CallShape &shape, monitor::Moment begin, monitor::Moment end) = 0;
};

/// nullptr: nobody is told.
inline std::atomic<CallSink *> call_sink{nullptr};

}
