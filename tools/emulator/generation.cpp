// SPDX-License-Identifier: BSD-3-Clause
#include "generation.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <stdexcept>
#include <thread>

#include <unistd.h>

#include "agreement.hpp"
#include "clock.hpp"
#include "monitored_stage.hpp"

namespace emulator {

namespace {

// A stage that ends by the clock. Stages that communicate go by the clock of their first rank, so that all do the same
// number of operations.
void run_capped(Stage &stage, const StageSpec &spec, const StagePlan &plan, const Team &team) {
    const double begin = now();
    int go_on = 1;
    while (go_on != 0) {
        stage.run(plan.operations);
        go_on = now() - begin < plan.seconds ? 1 : 0;
        if (!is_local(spec)) MPI_Bcast(&go_on, 1, MPI_INT, 0, team.comm);
    }
}

// Computation goes by the time for which it had its core: it does not matter how fast that is just now, and what others
// take of it they take from the emulation as they would from the application. What one iteration did too much, by less
// than a look at the clock, the next does less.
void compute_capped(Stage &stage, const StagePlan &plan, double &ahead) {
    const double begin = cpu_now();
    double spent = 0;
    while (ahead + spent < plan.seconds) {
        stage.run(plan.operations);
        spent = cpu_now() - begin;
    }
    ahead += spent - plan.seconds;
}

void rest(double seconds, bool is_core_shared) {
    constexpr double worth_sleeping = 50e-6; // shorter than this, the system does not wake anybody in time
    if (is_core_shared && seconds > worth_sleeping)
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds - worth_sleeping));
    else if (is_core_shared)
        std::this_thread::yield();
}

/// Lets MPI move what is under way, as it does while a rank waits within it. No message has the tag.
void progress(MPI_Comm comm) {
    constexpr int unused_tag = 32767; // MPI 4.0, section 9.1.2: as high as every MPI allows
    int found = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, unused_tag, comm, &found, MPI_STATUS_IGNORE);
}

} // namespace

Hosts::Hosts(const Team &all) {
    std::array<char, MPI_MAX_PROCESSOR_NAME> own{};
    int length = 0;
    MPI_Get_processor_name(own.data(), &length);
    std::vector<char> text(own.size() * static_cast<std::size_t>(all.size));
    const int count = static_cast<int>(own.size());
    MPI_Allgather(own.data(), count, MPI_CHAR, text.data(), count, MPI_CHAR, all.comm);
    for (int rank = 0; rank < all.size; ++rank)
        names.emplace_back(text.data() + static_cast<std::size_t>(rank) * own.size());
    cores.ranks_here = static_cast<int>(std::ranges::count(names, std::string(own.data())));
    cores.cores = static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN)));
}

Generation::Generation(const Run &run, std::size_t group, const Team &all, std::string file_prefix,
                       std::span<const double> costs)
    : run_(run), group_(run.groups[group]), all_(all), hosts_(all), file_prefix_(std::move(file_prefix)),
      costs_(costs) {}

Workplace Generation::workplace() const {
    Workplace place;
    place.seed = run_.seed;
    place.rank = all_.rank;
    place.scratch = run_.scratch;
    return place;
}

// Memory and files first, on each rank for itself: what failed on one is agreed on before any stage communicates.
void Generation::build(std::size_t phase) {
    Workplace place = workplace();
    place.index = first_stage(phase);
    for (Station &station : stations_) {
        place.file_name = file_prefix_ + "-s" + std::to_string(place.index) + "-r" + std::to_string(all_.rank) + ".tmp";
        const Team &team = station.ranks.team();
        if (team.takes_part()) station.stage = station.spec->type->make(*station.spec, team, place);
        station.name = std::to_string(place.index) + " " + std::string(station.spec->type->word);
        ++place.index;
    }
}

std::size_t Generation::first_stage(std::size_t phase) const {
    std::size_t stages = 0;
    for (std::size_t before = 0; before < phase; ++before) stages += run_.phases[before].stages.size();
    return stages;
}

Result<void> Generation::enter_phase(std::size_t phase) {
    stations_.clear();
    phase_ = phase;
    for (const StageSpec &spec : run_.phases[phase].stages)
        stations_.push_back({&spec, FirstRanks(all_, spec.ranks), nullptr, {}, 0, {}});
    has_files_ = std::ranges::any_of(stations_, [](const Station &station) { return is_file(*station.spec); });
    std::optional<std::string> built_badly;
    const auto no_memory = "phases[" + std::to_string(phase) + "]: there is not enough memory for its stages";
    try {
        build(phase);
        built_badly = trouble();
    } catch (const std::bad_alloc &) {
        built_badly = no_memory;
    } catch (const std::length_error &) {
        built_badly = no_memory;
    }
    if (auto agreed = agree(all_, built_badly); !agreed) return agreed;
    calibrate_all();
    ahead_ = padded_seconds_ = last_stage_end_ = 0;
    for (const Station &station : stations_)
        if (station.spec->padded) padded_seconds_ += station.plan.seconds;
    return agree(all_, trouble());
}

void Generation::calibrate_all() {
    std::size_t index = first_stage(*phase_);
    for (Station &station : stations_) {
        MPI_Barrier(all_.comm);
        const std::size_t own_index = index++;
        if (!station.stage) continue;
        const double seconds = asked_seconds(*station.spec, group_, all_.rank, own_index);
        const double cost = known_cost(station, own_index, seconds);
        station.plan = cost > 0 ? planned(*station.spec, seconds, cost)
                                : calibrate(*station.stage, *station.spec, station.ranks.team(), hosts_.cores, seconds);
    }
    MPI_Barrier(all_.comm);
}

// Of an operation; 0: not known. Others than those that compute cost something else on another number of ranks.
double Generation::known_cost(const Station &station, std::size_t index, double seconds) const {
    if (is_compute(*station.spec) && index < costs_.size() && costs_[index] > 0) return costs_[index];
    return cost_of_like(station, seconds);
}

// As measured for a station before this one with the same operations; 0: there is none.
double Generation::cost_of_like(const Station &station, double seconds) const {
    if (station.spec->type->costs_vary) return 0;
    for (const Station &other : stations_) {
        const bool is_alike = other.spec->type == station.spec->type && other.spec->ranks == station.spec->ranks &&
                              hosts_.cores.leave_alone(other.plan.seconds) == hosts_.cores.leave_alone(seconds);
        if (is_alike && other.plan.seconds_per_operation > 0)
            return other.plan.seconds_per_operation; // those behind it have no plan yet
    }
    return 0;
}

std::optional<std::string> Generation::trouble() const {
    for (const Station &station : stations_)
        if (station.stage)
            if (auto found = station.stage->trouble()) return found;
    return std::nullopt;
}

void Generation::meet() const {
    if (run_.barrier) MPI_Barrier(all_.comm);
}

// Communication that the model's ranks waited longer for than these do, whose computation does not vary as theirs: what
// is left of its time is waited out. What stages before it took too long, less is waited; what is far too long, as in a
// resize, is not made up for. The model waited within MPI, which then also moves the messages of other threads.
void Generation::run_padded(Stage &stage, double seconds) {
    constexpr double between_looks = 200e-6;
    const double begin = now();
    stage.run(1);
    double spent = now() - begin;
    for (; ahead_ + spent < seconds; spent = now() - begin) {
        progress(all_.comm);
        rest(std::min(seconds - ahead_ - spent, between_looks), hosts_.cores.are_shared());
    }
}

// Between iterations is a checkpoint, as the model's iteration had one or none. One at which something happens is no
// part of the iteration.
void Generation::note_between(double begin) {
    constexpr double longest = 20e-6; // of a checkpoint at which nothing happens
    const double between = begin - last_stage_end_;
    if (between < longest) ahead_ += between;
}

void Generation::note_spent(const Station &station, double seconds) {
    constexpr double most_ahead = 10; // times of all padded stages of an iteration
    if (station.plan.seconds > 0)
        ahead_ = std::min(ahead_ + seconds - station.plan.seconds, most_ahead * padded_seconds_);
}

void Generation::execute(Station &station) {
    if (!station.stage) return;
    const MonitoredStage marked(station.name.c_str());
    if (station.spec->padded)
        run_padded(*station.stage, station.plan.seconds);
    else if (station.spec->capped && is_compute(*station.spec))
        compute_capped(*station.stage, station.plan, station.ahead);
    else if (station.spec->capped && !is_wait(*station.spec))
        run_capped(*station.stage, *station.spec, station.plan, station.ranks.team());
    else
        station.stage->run(station.plan.operations);
}

Result<IterationRecord> Generation::iterate() {
    IterationRecord record;
    record.stage_seconds.reserve(stations_.size());
    meet();
    record.start = now();
    note_between(record.start);
    for (Station &station : stations_) {
        meet();
        const double begin = now();
        execute(station);
        meet();
        record.stage_seconds.push_back(now() - begin);
        note_spent(station, record.stage_seconds.back());
        last_stage_end_ = begin + record.stage_seconds.back();
    }
    meet();
    record.seconds = now() - record.start;
    // Only file stages can fail; other phases are spared the extra collective.
    if (has_files_)
        if (auto agreed = agree(all_, trouble()); !agreed) return tl::make_unexpected(agreed.error());
    return record;
}

} // namespace emulator
