// SPDX-License-Identifier: BSD-3-Clause
// What MaM does between asynchronous and synchronous data, as a redistribution of Nereus (nereus_on_resize()):
// newcomers hear what the job has, replicated data travels, and the user's function is called.
#pragma once

#include "configuration.hpp"
#include "data.hpp"

#include <nereus/compat/mam.h>

#include <cstddef>

namespace nereus::compat {

struct UserFunction {
    void (*call)(void *) = nullptr;
    void *arguments = nullptr;
};

class UserPhase {
public:
    UserPhase(MamData &data, Configuration &configuration) : data_(data), configuration_(configuration) {}

    /// To be called before nereus_open().
    void announce(int root, UserFunction function);
    void use(UserFunction function) { function_ = function; }
    void resume() { resumed_ = true; }
    bool running() const { return running_; }
    const mam_user_reconf_t &info() const { return info_; }
    bool made_a_newcomer() const { return newcomer_; }
    double seconds() const { return seconds_; }

private:
    static int step(nereus_redistribution_step step, const nereus_sides *sides, void *context);
    int move(const nereus_sides &sides);
    void share_table(const nereus_sides &sides);
    bool make_room(MPI_Comm comm);
    void broadcast(MamEntry &entry, MPI_Comm comm) const;
    void call_user(const nereus_sides &sides);
    void adopt(const nereus_sides &sides);
    void drop();

    MamData &data_;
    Configuration &configuration_;
    UserFunction function_;
    int root_ = 0;
    mam_user_reconf_t info_{};
    bool running_ = false;
    bool resumed_ = false;
    bool newcomer_ = false;
    double seconds_ = 0;
};

}
