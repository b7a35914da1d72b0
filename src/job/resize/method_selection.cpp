// SPDX-License-Identifier: BSD-3-Clause
#include "job/resize/method_selection.hpp"

#include "base/methods.hpp"
#include "mpi/share.hpp"
#include "mpi/threads.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

namespace nereus::job {
namespace {

using nlohmann::json;

/// Between processes of several MPI_COMM_WORLDs. `mpiexec --mca osc ucx` sets the variable too.
bool has_windows_between_worlds() {
#ifdef OPEN_MPI
    const char *const component = std::getenv("OMPI_MCA_osc");
    return component != nullptr && std::string_view(component) == "ucx";
#else
    return true;
#endif
}

/// Bytes and arrays of both kinds; the largest of each counts.
using Loads = std::array<std::int64_t, 4>;

Loads loads_at(Registry &registry, const Sides &sides) {
    const ArrayRedistribution arrays(registry, sides, transfer::Windows(), false);
    const plan::Load constant = arrays.load(true), variable = arrays.load(false);
    return {constant.bytes, constant.arrays, variable.bytes, variable.arrays};
}

void take_larger(Loads &most, const Loads &others) {
    std::transform(most.begin(), most.end(), others.begin(), most.begin(),
                   [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

/// Of this source and of a share of the newcomers, who cannot be asked yet: no process plans for all.
Loads loads_of(Registry &registry, Sides sides) {
    Loads most = loads_at(registry, sides);
    const int rank = sides.place.source.value_or(0);
    for (int newcomer = rank; newcomer < sides.sizes.newcomers(); newcomer += sides.sizes.sources) {
        sides.place = {std::nullopt, sides.sizes.drain_of_newcomer(newcomer)};
        take_larger(most, loads_at(registry, sides));
    }
    return most;
}

/// On rank 0.
Result<Loads> largest_loads(MPI_Comm sources, const Loads &mine) {
    Loads most{};
    auto done = mpi::check(
        MPI_Reduce(mine.data(), most.data(), static_cast<int>(mine.size()), MPI_INT64_T, MPI_MAX, 0, sources),
        "MPI_Reduce");
    if (!done) return tl::unexpected(done.error());
    return most;
}

/// One number where it was asked for, all up to `automatic` where that was.
std::vector<int> open_numbers(int asked, int automatic) {
    if (asked != automatic) return {asked};
    std::vector<int> all;
    for (int number = 0; number < automatic; ++number) all.push_back(number);
    return all;
}

std::vector<plan::Way> candidates(const Request &request, bool one_world) {
    std::vector<plan::Way> ways;
    for (const int strategy : open_numbers(request.options.transfer_strategy, NEREUS_STRATEGY_AUTO))
        for (const int method : open_numbers(request.options.transfer_method, NEREUS_TRANSFER_AUTO))
            if (check_transfer_choice(request.options.process_method, one_world, {method, strategy}))
                ways.push_back({method, strategy});
    return ways;
}

json as_json(const std::optional<plan::Choice> &choice) {
    if (!choice) return nullptr;
    return {choice->way.method, choice->way.strategy, choice->predicted_seconds, choice->lost_seconds, choice->why};
}

std::optional<plan::Choice> choice_from(const json &in) {
    if (in.is_null()) return std::nullopt;
    return plan::Choice{{in.at(0), in.at(1)}, in.at(2), in.at(3), in.at(4)};
}

}

Done check_transfer_choice(int process_method, bool one_world, const TransferChoice &transfer_choice) {
    if (is_one_sided(transfer_choice.method) && !one_world && !has_windows_between_worlds())
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "Open MPI has one-sided transfers only among processes that one mpiexec "
                      "started together, unless OMPI_MCA_osc=ucx: set that, and OMPI_MCA_osc_ucx_tls=any without "
                      "InfiniBand, or take p2p or col");
    if (auto done = check_transfer(process_method, transfer_choice.method, transfer_choice.strategy); !done)
        return done;
    if (transfer_choice.strategy == NEREUS_THREAD && !mpi::threads_are_allowed())
        return failed(NEREUS_ERR_UNSUPPORTED,
                      "the transfer strategy thread needs MPI_Init_thread with MPI_THREAD_MULTIPLE, which this program "
                      "or MPI does not have");
    return {};
}

bool is_to_choose(const Request &request, const std::optional<plan::Costs> &costs) {
    return costs.has_value() && (request.options.transfer_method == NEREUS_TRANSFER_AUTO ||
                                 request.options.transfer_strategy == NEREUS_STRATEGY_AUTO);
}

TransferChoice usual_transfer_choice(const Request &request) {
    return {request.options.transfer_method == NEREUS_TRANSFER_AUTO ? int{NEREUS_P2P} : request.options.transfer_method,
            request.options.transfer_strategy == NEREUS_STRATEGY_AUTO ? int{NEREUS_BLOCKING}
                                                                      : request.options.transfer_strategy};
}

Result<std::optional<plan::Choice>> choose_together(MPI_Comm sources, Registry &registry, const Sides &sides,
                                                    const Request &request, bool one_world,
                                                    const std::optional<plan::Costs> &costs) {
    const auto most = largest_loads(sources, loads_of(registry, sides));
    if (!most) return tl::unexpected(most.error());
    std::optional<plan::Choice> choice;
    if (sides.place.source == 0 && costs) {
        const auto [constant, constant_arrays, variable, variable_arrays] = *most;
        choice = plan::choose(*costs, {{constant, static_cast<int>(constant_arrays)},
                                       {variable, static_cast<int>(variable_arrays)},
                                       candidates(request, one_world)});
    }
    auto bytes = mpi::share(sources, 0, json::to_msgpack(as_json(choice)));
    if (!bytes) return tl::unexpected(bytes.error());
    return choice_from(json::from_msgpack(*bytes));
}

}
