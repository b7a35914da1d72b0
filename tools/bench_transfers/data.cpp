// SPDX-License-Identifier: BSD-3-Clause
#include "data.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace transfers {
namespace {

/// Elements that touch_some() reads of each array: 1 MiB.
constexpr std::int64_t piece = 131'072;
/// Elements of a part that are looked at when not all are: about as many, and the first and the last.
constexpr std::int64_t samples = 1000;

std::uint64_t expected(std::uint64_t array, std::int64_t place) {
    // An odd factor: no two places of an array have the same value.
    return static_cast<std::uint64_t>(place) * 0x9E3779B97F4A7C15U + array;
}

std::vector<ArraySize> equal_parts(std::int64_t bytes, std::int64_t arrays, nereus_kind kind) {
    std::vector<ArraySize> parts;
    for (std::int64_t i = 0, left = bytes / 8; i < arrays; ++i) {
        const std::int64_t elements = left / (arrays - i);
        parts.push_back({elements, kind});
        left -= elements;
    }
    return parts;
}

}

std::vector<ArraySize> sizes_of(const Amount &amount) {
    const auto constant_bytes = static_cast<std::int64_t>(
        std::llround(static_cast<double>(amount.bytes / 8) * amount.constant_percent / 100) * 8);
    const std::int64_t share = std::lround(amount.arrays * amount.constant_percent / 100);
    const std::int64_t least = amount.constant_percent > 0 ? 1 : 0;
    const std::int64_t most = amount.constant_percent < 100 ? amount.arrays - 1 : amount.arrays;
    const std::int64_t constant = std::clamp(share, least, std::max(least, most));
    std::vector<ArraySize> all = equal_parts(constant_bytes, constant, NEREUS_CONSTANT);
    for (const ArraySize &each : equal_parts(amount.bytes - constant_bytes, amount.arrays - constant, NEREUS_VARIABLE))
        all.push_back(each);
    return all;
}

Data::Data(nereus::Job &job, const Amount &amount) {
    for (const ArraySize &size : sizes_of(amount)) {
        const std::uint64_t number = arrays_.size();
        const std::string name = "array-" + std::to_string(number);
        arrays_.push_back({job.array<std::uint64_t>(name, size.elements, NEREUS_BLOCK, size.kind), size.kind, number});
    }
    if (job.generation() == 0) fill();
}

void Data::fill() {
    for (const One &one : arrays_) {
        const std::int64_t first = one.part.first();
        const auto part = one.part.span();
        for (std::size_t i = 0; i < part.size(); ++i)
            part[i] = expected(one.number, first + static_cast<std::int64_t>(i));
    }
}

void Data::touch(const One &one, std::int64_t first, std::int64_t end) {
    // Volatile, so that reads and writes that change nothing are made. Constant data is never written.
    volatile std::uint64_t *part = one.part.begin();
    std::uint64_t sum = 0;
    if (one.kind == NEREUS_VARIABLE)
        for (std::int64_t i = first; i < end; ++i) part[i] = part[i];
    else
        for (std::int64_t i = first; i < end; ++i) sum += part[i];
}

void Data::touch_some() {
    for (const One &one : arrays_) {
        const std::int64_t count = one.part.count();
        const std::int64_t pieces = std::max<std::int64_t>(1, count / piece);
        const std::int64_t first = turn_ % pieces * piece;
        touch(one, std::min(first, count), std::min(first + piece, count));
    }
    ++turn_;
}

void Data::touch_all() {
    for (const One &one : arrays_) touch(one, 0, one.part.count());
}

std::int64_t Data::wrong(bool all) const {
    std::int64_t found = 0;
    for (const One &one : arrays_) {
        const std::int64_t first = one.part.first(), count = one.part.count();
        const std::int64_t step = all ? 1 : std::max<std::int64_t>(1, count / samples);
        for (std::int64_t i = 0; i < count; i += step) found += one.part[i] != expected(one.number, first + i);
        if (count > 0) found += one.part[count - 1] != expected(one.number, first + count - 1);
    }
    return found;
}

}
