// SPDX-License-Identifier: BSD-3-Clause
// Any bytes as what a daemon says: the lines of the input are the frames, one by one. A job reads them and does
// what its line to the daemon would do; that no command comes of it which hurts the job is checked.
#include "link/daemon_protocol.hpp"
#include "link/message.hpp"

#include <cstdlib>

namespace {

using nereus::link::Conversation;
using nlohmann::json;

constexpr double between_frames = 0.3; // s

const std::string name = "0123456789abcdef"; // NOLINT(bugprone-throwing-static-initialization)

/// That the fuzzer, and the test of the corpus, are to find.
void expect(bool holds) {
    if (!holds) std::abort();
}

class Listener {
public:
    void hear(std::string_view frame) {
        now_ += between_frames;
        if (const auto message = nereus::link::read_frame(frame, name)) job_.take(*message, now_);
        if (job_.granted() != 0) job_.give_back();
        if (!job_.asks()) job_.ask(++phase_, 0, 0);
        for (const json &each : job_.due(now_)) expect(nereus::link::written_frame(each, name).has_value());
        expect(job_.next_due() <= now_ + 1);
        carry_out();
    }
    /// Another process goes on.
    void hand_over() {
        Conversation next{json::object(), 1};
        next.restore(json::parse(job_.as_json(now_).dump()), now_);
        expect(next.next_command_at() == job_.next_command_at());
    }

private:
    void carry_out() {
        while (const auto command = job_.take_command(++iteration_)) {
            expect(command->ranks >= 1 && command->at >= 0 && command->number > last_command_);
            for (const json &option : command->options) expect(option.is_string());
            last_command_ = command->number;
            job_.command_ended(command->number);
        }
    }

    Conversation job_{json::object(), 1};
    double now_ = 0;
    std::uint64_t phase_ = 0;
    std::int64_t iteration_ = 0;
    std::uint64_t last_command_ = 0;
};

}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *bytes, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char *>(bytes), size);
    Listener job;
    for (bool more = true; more;) {
        const std::size_t end = rest.find('\n');
        more = end != std::string_view::npos;
        job.hear(rest.substr(0, end));
        rest.remove_prefix(more ? end + 1 : rest.size());
    }
    job.hand_over();
    return 0;
}
