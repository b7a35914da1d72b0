// SPDX-License-Identifier: BSD-3-Clause
#include "configuration.hpp"

#include "../complaint.hpp"

#include <climits>
#include <cstdlib>
#include <string>

namespace nereus::compat {
namespace {

constexpr unsigned alone_in_spawn = MAM_MASK_SPAWN_PARALLEL,
                   not_with_it = MAM_MASK_SPAWN_SINGLE | MAM_MASK_SPAWN_MULTIPLE;

/// Ordinals 1, 2, 3 ... are the bits 0x01, 0x02, 0x04 ... in both enums.
unsigned bit_of(unsigned ordinal) { return ordinal == 0 ? 0 : 1U << (ordinal - 1); }

int merge_bits(unsigned &bits, unsigned added, unsigned excluded) {
    const unsigned before = bits;
    bits = (bits & ~excluded) | added;
    if ((before & excluded) != 0) return MAM_STRATS_MODIFIED;
    return bits == before ? 0 : MAM_STRATS_ADDED;
}

int refuse(int key, int required) {
    complain("MaM's key " + std::to_string(key) + " = " + std::to_string(required) + ": there is no such value");
    return MAM_DENIED;
}

}

int Configuration::set_number(int &number, int required, int least, int end) {
    if (required >= least && required < end) number = required;
    return number;
}

int Configuration::add_spawn_strategy(int ordinal) {
    if (ordinal < 0 || ordinal >= MAM_STRATS_SPAWN_LEN) return refuse(MAM_SPAWN_STRATEGIES, ordinal);
    if (ordinal == MAM_STRAT_SPAWN_CLEAR) return merge_bits(spawn_strategies_, 0, ~0U);
    const unsigned bit = bit_of(static_cast<unsigned>(ordinal));
    const unsigned excluded = bit == alone_in_spawn ? not_with_it : (bit & not_with_it) != 0 ? alone_in_spawn : 0;
    return merge_bits(spawn_strategies_, bit, excluded);
}

int Configuration::add_red_strategy(int ordinal) {
    if (ordinal < 0 || ordinal >= MAM_STRATS_RED_LEN) return refuse(MAM_RED_STRATEGIES, ordinal);
    const unsigned bit = bit_of(static_cast<unsigned>(ordinal));
    return merge_bits(red_strategies_, bit, ~bit);
}

int Configuration::set(int key, int required) {
    switch (key) {
    case MAM_SPAWN_METHOD:
        return set_number(spawn_method_, required, MAM_SPAWN_BASELINE, MAM_METHODS_SPAWN_LEN);
    case MAM_SPAWN_STRATEGIES:
        return add_spawn_strategy(required);
    case MAM_PHYSICAL_DISTRIBUTION:
        return set_number(placement_, required, MAM_PHY_DIST_SPREAD, MAM_METHODS_PHYSICAL_DISTRIBUTION_LEN);
    case MAM_RED_METHOD:
        return set_number(red_method_, required, MAM_RED_BASELINE, MAM_METHODS_RED_LEN);
    case MAM_RED_STRATEGIES:
        return add_red_strategy(required);
    case MAM_NUM_TARGETS:
        if (required < 1) return refuse(key, required);
        targets_ = static_cast<unsigned>(required);
        return required;
    default:
        return refuse(key, required);
    }
}

void Configuration::read_environment() {
    const char *names[numbers] = {MAM_SPAWN_METHOD_ENV, MAM_SPAWN_STRATS_ENV, MAM_PHYSICAL_DISTRIBUTION_METHOD_ENV,
                                  MAM_RED_METHOD_ENV,   MAM_RED_STRATS_ENV,   MAM_NUM_TARGETS_ENV};
    for (int key = 0; key < MAM_KEY_COUNT; ++key) {
        const char *text = std::getenv(names[key]);
        if (text == nullptr) continue;
        char *end = nullptr;
        const long value = std::strtol(text, &end, 10);
        if (end == text || *end != '\0' || value < 0 || value > INT_MAX)
            give_up(std::string(names[key]) + " = " + text + ": a whole number is allowed");
        set(key, static_cast<int>(value));
    }
}

bool Configuration::contains(int key, unsigned ordinal) const {
    const unsigned bits = key == MAM_SPAWN_STRATEGIES ? spawn_strategies_ : red_strategies_;
    return ordinal == 0 ? bits == 0 : (bits & bit_of(ordinal)) != 0;
}

/// MaM transfers over a merged communicator unless the strategy INTERCOMM is set, which it drops for one-sided methods.
nereus_process_method Configuration::process_method() const {
    if (spawn_method_ == MAM_SPAWN_MERGE) return NEREUS_MERGE;
    const bool inter = (spawn_strategies_ & MAM_MASK_SPAWN_INTERCOMM) != 0 && !one_sided();
    return inter ? NEREUS_BASELINE_INTER : NEREUS_BASELINE_INTRA;
}

/// Where nothing is spawned, MaM drops them too.
unsigned Configuration::process_strategies(bool grows) const {
    unsigned sum = 0;
    if (!grows && spawn_method_ == MAM_SPAWN_MERGE) return sum;
    if ((spawn_strategies_ & MAM_MASK_PTHREAD) != 0) sum += NEREUS_ASYNCHRONOUS;
    if ((spawn_strategies_ & MAM_MASK_SPAWN_SINGLE) != 0) sum += NEREUS_SINGLE;
    if ((spawn_strategies_ & MAM_MASK_SPAWN_MULTIPLE) != 0) sum += NEREUS_MULTIPLE;
    if ((spawn_strategies_ & MAM_MASK_SPAWN_PARALLEL) != 0) sum += NEREUS_PARALLEL;
    return sum;
}

/// MaM sends constant data in the background always, and with one-sided methods waits for the targets.
nereus_transfer_strategy Configuration::transfer_strategy() const {
    if ((red_strategies_ & MAM_MASK_PTHREAD) != 0) return NEREUS_THREAD;
    if ((red_strategies_ & MAM_MASK_RED_WAIT_TARGETS) != 0 || one_sided()) return NEREUS_WAIT_DRAINS;
    return NEREUS_NONBLOCKING;
}

nereus_resize_options Configuration::options_for(const nereus_job *job, int sources) const {
    constexpr nereus_transfer_method methods[] = {NEREUS_COL, NEREUS_P2P, NEREUS_RMA_LOCK, NEREUS_RMA_LOCKALL};
    nereus_resize_options options;
    nereus_resize_options_init(job, &options);
    options.process_method = process_method();
    options.process_strategies = process_strategies(static_cast<std::int64_t>(targets_) > sources);
    options.placement = placement_ == MAM_PHY_DIST_SPREAD ? NEREUS_SPREAD : NEREUS_COMPACT;
    options.transfer_method = methods[red_method_];
    options.transfer_strategy = transfer_strategy();
    options.survivors = NEREUS_FIRST; // MaM keeps the first ranks, and its root is one of them
    return options;
}

std::array<std::int64_t, Configuration::numbers> Configuration::words() const {
    return {spawn_method_, spawn_strategies_, placement_, red_method_, red_strategies_, targets_};
}

void Configuration::take(const std::int64_t *words) {
    spawn_method_ = static_cast<int>(words[0]);
    spawn_strategies_ = static_cast<unsigned>(words[1]);
    placement_ = static_cast<int>(words[2]);
    red_method_ = static_cast<int>(words[3]);
    red_strategies_ = static_cast<unsigned>(words[4]);
    targets_ = static_cast<unsigned>(words[5]);
}

}
