// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/slices.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

namespace nereus::transfer {
namespace {

/// `repeats` repetitions of `strip` from number `first` on.
plan::Strip part_of(const plan::Strip &strip, std::int64_t first, std::int64_t repeats) {
    plan::Strip part = strip;
    part.repeats = repeats;
    for (plan::Run &run : part.runs) {
        run.from += first * strip.from_step;
        run.to += first * strip.to_step;
    }
    return part;
}

/// Where the slice begins when its bytes lie in a row on `side`.
std::optional<std::int64_t> start_of_row(const Strips &slice, Side side) {
    const std::int64_t start = slice.front().runs.front().*side.place;
    std::int64_t end = start;
    for (const plan::Strip &strip : slice) {
        if (strip.repeats > 1 && strip.*side.step != strip.count_of_one()) return std::nullopt;
        for (const plan::Run &run : strip.runs) {
            if (run.*side.place != end) return std::nullopt;
            end += run.count;
        }
        end += (strip.repeats - 1) * strip.*side.step;
    }
    return start;
}

mpi::Type type_of(const plan::Strip &strip, Side side) {
    std::vector<mpi::Block> blocks;
    for (const plan::Run &run : strip.runs) blocks.push_back({run.*side.place, run.count});
    return mpi::Type::blocks(blocks, strip.repeats, strip.*side.step);
}

mpi::Type type_of(const Strips &slice, Side side) {
    if (slice.size() == 1) return type_of(slice.front(), side);
    std::vector<mpi::Type> parts;
    for (const plan::Strip &strip : slice) parts.push_back(type_of(strip, side));
    return mpi::Type::together(parts);
}

}

Strips in_bytes(const Strips &strips, std::int64_t extent) {
    Strips bytes = strips;
    for (plan::Strip &strip : bytes) {
        strip.from_step *= extent;
        strip.to_step *= extent;
        for (plan::Run &run : strip.runs) run = {run.from * extent, run.to * extent, run.count * extent};
    }
    return bytes;
}

Slicer::Slicer(Strips bytes) : strips_(std::move(bytes)), left_(plan::count_of(strips_)) {
    if (!strips_.empty()) strip_bytes_ = strips_.front().count_of_one();
}

Strips Slicer::take(std::int64_t most) {
    Strips taken;
    most = std::min(most, left_);
    left_ -= most;
    while (most > 0)
        if (run_ == 0 && in_run_ == 0 && strip_bytes_ <= most)
            take_repetitions(most, taken);
        else
            take_runs(most, taken);
    return taken;
}

/// Whole repetitions, as many as fit.
void Slicer::take_repetitions(std::int64_t &most, Strips &taken) {
    const plan::Strip &strip = strips_[strip_];
    std::int64_t repeats = strip.repeats - repetition_;
    if (strip_bytes_ > 0) {
        repeats = std::min(repeats, most / strip_bytes_);
        taken.push_back(part_of(strip, repetition_, repeats));
        most -= repeats * strip_bytes_;
    }
    end_repetitions(repeats);
}

/// From within a repetition, to its end at most.
void Slicer::take_runs(std::int64_t &most, Strips &taken) {
    const plan::Strip &strip = strips_[strip_];
    plan::Strip part;
    for (; run_ < strip.runs.size() && most > 0; ++run_, in_run_ = 0) {
        const plan::Run &run = strip.runs[run_];
        const std::int64_t bytes = std::min(most, run.count - in_run_);
        part.runs.push_back({run.from + repetition_ * strip.from_step + in_run_,
                             run.to + repetition_ * strip.to_step + in_run_, bytes});
        most -= bytes;
        in_run_ += bytes;
        if (in_run_ < run.count) break;
    }
    if (run_ == strip.runs.size()) end_repetitions(1);
    taken.push_back(std::move(part));
}

void Slicer::end_repetitions(std::int64_t repetitions) {
    run_ = 0;
    in_run_ = 0;
    repetition_ += repetitions;
    if (repetition_ < strips_[strip_].repeats) return;
    repetition_ = 0;
    if (++strip_ < strips_.size()) strip_bytes_ = strips_[strip_].count_of_one();
}

Spot spot_of(const Strips &slice, Side side) {
    Spot spot;
    if (const auto start = start_of_row(slice, side)) {
        spot.place = *start;
        spot.count = static_cast<int>(plan::count_of(slice));
    } else {
        spot.owned = type_of(slice, side);
        spot.type = spot.owned.get();
        spot.count = 1;
    }
    return spot;
}

void copy(const Strips &slice, const std::byte *from, std::byte *to) {
    for (const plan::Strip &strip : slice)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const plan::Run &run : strip.runs)
                std::memcpy(to + run.to + i * strip.to_step, from + run.from + i * strip.from_step,
                            static_cast<std::size_t>(run.count));
}

}
