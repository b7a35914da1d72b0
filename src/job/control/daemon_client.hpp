// SPDX-License-Identifier: BSD-3-Clause
// Rank 0's line to the daemon of many jobs (docs/formats/daemon.md), as the job needs it: it tells how fast
// iterations are, asks for turns to write, hears commands, and says what became of them.
#pragma once

#include "base/settings.hpp"
#include "job/control/carried_line.hpp"
#include "job/control/iteration_timer.hpp"
#include "job/state/generation.hpp"
#include "job/state/spent.hpp"
#include "link/daemon_connection.hpp"

#include <nereus/nereus.h>

#include <map>
#include <memory>
#include <optional>

namespace nereus::job {

class DaemonClient {
public:
    /// To the daemon that the settings name, or that was carried.
    /// @param carried  carry() of the rank 0 before; none: there was none. NEREUS_ERR_MISMATCH where it makes no sense
    static Result<std::unique_ptr<DaemonClient>> open(const Settings &settings, const Generation &generation,
                                                      const std::vector<std::string> &command,
                                                      const std::optional<CarriedLine> &carried = {});

    /// At each checkpoint. @param spent  on this process in the iteration that ends
    void passed(std::int64_t iteration, const Spent &spent);
    /// Of the iterations from now on.
    void has_operations(double operations) { operations_ = operations; }

    /// The next command that is to be carried out at the checkpoint of iteration `next`.
    std::optional<link::Command> take_command(std::int64_t next) { return line_->take_command(next); }
    /// How many checkpoints after that of iteration `next` can pass before a command is due.
    std::int64_t checkpoints_to_command(std::int64_t next) const;
    /// What a command came to be: a request of the job, nothing to do, or an error.
    void asked(std::uint64_t command, std::uint64_t request) { commands_[request] = command; }
    void is_done(std::uint64_t command, const std::string &message);
    void is_refused(std::uint64_t command, const Error &why);

    void resize_begins();
    /// @param message  of the report
    void resize_ended(const nereus_resize_report &report, const std::string &message, const Generation &now);
    void request_dropped(std::uint64_t request);

    /// @return whether the I/O phase has its turn
    bool begin_io(std::uint64_t number, std::int64_t bytes);
    void end_io();

    void say_goodbye() { line_->say_goodbye(); }

    /// For the next rank 0, in another process. This one says nothing any more.
    CarriedLine carry();

private:
    struct Way {
        std::string address;
        std::string keys; ///< a file; "": none
        std::string name; ///< of the job
    };
    struct Phase {
        std::uint64_t number = 0;
        std::int64_t bytes = 0;
        std::int64_t iteration = 0;
        std::uint64_t epoch = 0;
        double asked = 0;   ///< when
        double granted = 0; ///< when it went on, with its turn or without
    };

    DaemonClient(std::unique_ptr<link::DaemonConnection> line, Way way, const Settings &settings,
                 const Generation &generation);
    void say_done(std::uint64_t command, double seconds, const std::string &message);

    std::unique_ptr<link::DaemonConnection> line_;
    Way way_;
    double patience_;
    int ranks_;
    std::vector<std::string> hosts_;
    std::int64_t generation_;
    std::int64_t iteration_ = 0;
    IterationTimer iteration_timer_;
    Spent spent_;           ///< of the iterations that the next sample is of
    double operations_ = 0; ///< of an iteration; 0: nobody said
    Phase phase_;
    std::map<std::uint64_t, std::uint64_t> commands_; ///< that requests were made of: by the request
    bool told_of_silence_ = false;
    bool resizes_ = false; ///< is being resized
};

}
