// SPDX-License-Identifier: BSD-3-Clause
#include "transfer/slices.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

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

template <class Act> void each_run(const Strips &slice, Side side, const Act &act) {
    for (const plan::Strip &strip : slice)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const plan::Run &run : strip.runs) act(run.*side.place + i * strip.*side.step, run.count);
}

/// The same on both sides: it divides all that says where the slice lies in each.
mpi::Unit unit_of(const Strips &slice) {
    std::int64_t divisor = 0;
    for (const plan::Strip &strip : slice) {
        if (strip.repeats > 1) divisor = std::gcd(divisor, std::gcd(strip.from_step, strip.to_step));
        for (const plan::Run &run : strip.runs)
            divisor = std::gcd(std::gcd(divisor, run.count), std::gcd(run.from, run.to));
    }
    return mpi::Unit::widest(divisor);
}

/// Of what lies `begin` bytes behind the address that the call is given.
mpi::Type type_of(const plan::Strip &strip, Side side, std::int64_t begin, const mpi::Unit &unit) {
    std::vector<mpi::Block> blocks;
    for (const plan::Run &run : strip.runs) blocks.push_back({run.*side.place - begin, run.count});
    return mpi::Type::blocks(blocks, strip.repeats, strip.*side.step, unit);
}

mpi::Type type_of(const Strips &slice, Side side, std::int64_t begin, const mpi::Unit &unit) {
    if (slice.size() == 1) return type_of(slice.front(), side, begin, unit);
    std::vector<mpi::Type> parts;
    for (const plan::Strip &strip : slice) parts.push_back(type_of(strip, side, begin, unit));
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

Spot spot_of(const Strips &slice, Side side) {
    const mpi::Unit unit = unit_of(slice);
    if (const auto start = start_of_row(slice, side))
        return {*start, static_cast<int>(plan::count_of(slice) / unit.bytes), unit.type};
    const std::int64_t place = slice.front().runs.front().*side.place;
    mpi::Type type = type_of(slice, side, place, unit);
    const MPI_Datatype handle = type.get();
    return {place, 1, handle, std::move(type)};
}

mpi::Type type_with_place(const Strips &slice, Side side) {
    const mpi::Unit unit = unit_of(slice);
    if (const auto start = start_of_row(slice, side))
        return mpi::Type::blocks({{*start, plan::count_of(slice)}}, 1, 0, unit);
    return type_of(slice, side, 0, unit);
}

void pack(const Strips &slice, Side side, const std::byte *part, std::byte *row) {
    each_run(slice, side, [&](std::int64_t place, std::int64_t bytes) {
        std::memcpy(row, part + place, static_cast<std::size_t>(bytes));
        row += bytes;
    });
}

void unpack(const Strips &slice, Side side, const std::byte *row, std::byte *part) {
    each_run(slice, side, [&](std::int64_t place, std::int64_t bytes) {
        std::memcpy(part + place, row, static_cast<std::size_t>(bytes));
        row += bytes;
    });
}

void copy(const Strips &slice, const std::byte *from, std::byte *to) {
    for (const plan::Strip &strip : slice)
        for (std::int64_t i = 0; i < strip.repeats; ++i)
            for (const plan::Run &run : strip.runs)
                std::memcpy(to + run.to + i * strip.to_step, from + run.from + i * strip.from_step,
                            static_cast<std::size_t>(run.count));
}

}
