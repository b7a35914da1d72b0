// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include "base/methods.hpp"

namespace emulator {

namespace {

template <class T> Words<T> with_numbers(const std::vector<std::string> &words) {
    Words<T> all;
    for (std::size_t number = 0; number < words.size(); ++number)
        all.emplace_back(words[number], static_cast<T>(number));
    return all;
}

} // namespace

const Words<nereus_process_method> &process_methods() {
    static const auto words = with_numbers<nereus_process_method>(nereus::words::process_methods);
    return words;
}

const Words<nereus_transfer_method> &transfer_methods() {
    static const auto words = with_numbers<nereus_transfer_method>(nereus::words::transfer_methods);
    return words;
}

const Words<nereus_transfer_strategy> &transfer_strategies() {
    static const auto words = with_numbers<nereus_transfer_strategy>(nereus::words::transfer_strategies);
    return words;
}

const Words<nereus_survivors> &survivor_choices() {
    static const auto words = with_numbers<nereus_survivors>(nereus::words::survivors);
    return words;
}

const Words<nereus_placement> &placements() {
    static const auto words = with_numbers<nereus_placement>(nereus::words::placements);
    return words;
}

const Words<nereus_release_unit> &release_units() {
    static const auto words = with_numbers<nereus_release_unit>(nereus::words::release_units);
    return words;
}

std::string_view name_of(nereus_process_method method) {
    return nereus::word_of(nereus::words::process_methods, method);
}
std::string_view name_of(nereus_transfer_method method) {
    return nereus::word_of(nereus::words::transfer_methods, method);
}
std::string_view name_of(nereus_transfer_strategy strategy) {
    return nereus::word_of(nereus::words::transfer_strategies, strategy);
}

} // namespace emulator
