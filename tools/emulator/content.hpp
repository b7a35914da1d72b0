// SPDX-License-Identifier: BSD-3-Clause
// What the elements of the emulated data hold: known for each element and moment, so that a run can prove its data
// intact.
//
// A constant element holds a number made from its place. A variable element holds one made from its place and from the
// iteration that changed it last: each iteration changes one element in each `stride`, on all ranks, so that data of
// an earlier iteration is found, and the cost stays small beside that of an iteration.
#pragma once

#include <cstdint>

#include "random.hpp"

namespace emulator {

constexpr std::int64_t changes_per_iteration = 1024; ///< of all ranks together

constexpr std::int64_t change_stride(std::int64_t elements) {
    return elements <= changes_per_iteration ? 1 : (elements + changes_per_iteration - 1) / changes_per_iteration;
}

/// Whether `iteration` (from 0) changes the element.
constexpr bool is_changed(std::int64_t element, std::int64_t iteration, std::int64_t stride) {
    return element % stride == iteration % stride;
}

/// The first element from `first` on that `iteration` changes.
constexpr std::int64_t first_changed(std::int64_t first, std::int64_t iteration, std::int64_t stride) {
    return first + ((iteration - first) % stride + stride) % stride;
}

/// The latest of the first `iterations` iterations that changed the element; -1 when none did.
constexpr std::int64_t last_change(std::int64_t element, std::int64_t iterations, std::int64_t stride) {
    const std::int64_t place = element % stride;
    if (iterations <= place) return -1;
    return place + (iterations - 1 - place) / stride * stride;
}

constexpr std::uint64_t constant_content(std::uint64_t seed, std::int64_t element) {
    return mix(mix(seed) ^ static_cast<std::uint64_t>(element));
}

/// `change`: the iteration that changed it last, -1 when none did.
constexpr std::uint64_t variable_content(std::uint64_t seed, std::int64_t element, std::int64_t change) {
    return mix(constant_content(seed + 1, element) ^ static_cast<std::uint64_t>(change + 1));
}

} // namespace emulator
