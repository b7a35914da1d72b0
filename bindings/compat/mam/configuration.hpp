// SPDX-License-Identifier: BSD-3-Clause
// What MaM can be configured with, and what it means to Nereus.
#pragma once

#include <nereus/compat/mam.h>
#include <nereus/nereus.h>

#include <array>
#include <cstdint>

namespace nereus::compat {

class Configuration {
public:
    static constexpr std::size_t numbers = 6;

    /// Of the founders: enum mam_key_values from MaM's environment variables.
    void read_environment();

    /// @return as MAM_Set_key_configuration() provides it
    int set(int key, int required);
    bool contains(int key, unsigned ordinal) const;
    unsigned targets() const { return targets_; }
    void drop_targets() { targets_ = 0; }

    /// Whether a checkpoint that does not wait may return before all is done.
    bool spawns_in_thread() const { return (spawn_strategies_ & MAM_MASK_PTHREAD) != 0; }
    nereus_resize_options options_for(const nereus_job *job, int sources) const;

    std::array<std::int64_t, numbers> words() const;
    void take(const std::int64_t *words);

private:
    int set_number(int &number, int required, int least, int end);
    int add_spawn_strategy(int ordinal);
    int add_red_strategy(int ordinal);
    nereus_process_method process_method() const;
    unsigned process_strategies(bool grows) const;
    nereus_transfer_strategy transfer_strategy() const;
    bool one_sided() const { return red_method_ >= MAM_RED_RMA_LOCK; }

    int spawn_method_ = MAM_SPAWN_MERGE;
    unsigned spawn_strategies_ = 0; ///< MAM_MASK_...
    int placement_ = MAM_PHY_DIST_COMPACT;
    int red_method_ = MAM_RED_BASELINE;
    unsigned red_strategies_ = 0; ///< MAM_MASK_...
    unsigned targets_ = 0;        ///< 0: nobody has asked
};

}
