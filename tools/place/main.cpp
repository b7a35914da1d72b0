// SPDX-License-Identifier: BSD-3-Clause
// nereus-place: what is computed for `nereus place`; reads files, prints one JSON document.
#include "base/printable.hpp"
#include "tools/place/best.hpp"
#include "tools/place/machine.hpp"
#include "tools/place/matrix_file.hpp"

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using nereus::place::WhichMachine;
using Json = nlohmann::ordered_json;

constexpr int bad_input = 2;

int refused(const nereus::Error &error) {
    std::cerr << nereus::printable(error.what) << "\n";
    return bad_input;
}

Json number_or_null(const std::optional<double> &number) { return number ? Json(*number) : Json(nullptr); }

Json document(const nereus::place::Best &best, double seconds) {
    const auto &costs = best.costs;
    return {{"mapping", best.mapping},
            {"cost", best.cost},
            {"from", best.from},
            {"costs",
             {{"packed", costs.packed},
              {"round_robin", costs.round_robin},
              {"random", costs.random},
              {"scotch", number_or_null(costs.scotch)},
              {"treematch", costs.treematch},
              {"current", number_or_null(costs.current)}}},
            {"seconds", seconds}};
}

int map(const std::string &matrix, const std::string &topology) {
    const auto begin = std::chrono::steady_clock::now();
    auto traffic = nereus::place::read_traffic(matrix);
    if (!traffic) return refused(traffic.error());
    const auto question = nereus::place::read_question(topology, *std::move(traffic));
    if (!question) return refused(question.error());
    const auto best = nereus::place::best_of(*question);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::cout << document(best, seconds.count()).dump() << "\n";
    return 0;
}

int show(const WhichMachine &which) {
    const auto inside = nereus::place::inside_of(which);
    if (!inside) return refused(inside.error());
    std::cout
        << Json{{"levels", inside->levels}, {"children", inside->children}, {"processors", inside->processors}}.dump()
        << "\n";
    return 0;
}

}

int main(int argc, char **argv) {
    CLI::App app{"Computes what `nereus place` shows.\n\nExample: nereus-place map traffic.nm question.json\n"};
    app.require_subcommand(1);
    std::string matrix, topology;
    auto *mapping = app.add_subcommand("map", "a mapping of ranks to slots and what it costs");
    mapping->add_option("MATRIX", matrix, "bytes from each rank to each other (docs/formats/matrix.md)")->required();
    mapping->add_option("QUESTION", topology, "the topology, and which ranks may be where, as JSON")->required();
    WhichMachine which;
    auto *machine = app.add_subcommand("host", "what is inside a host");
    auto *source = machine->add_option_group("source", "one of these");
    source->add_flag("--here", which.here, "this host");
    source->add_option("--xml", which.xml, "file of hwloc");
    source->add_option("--synthetic", which.synthetic, "as hwloc has it");
    source->require_option(1);
    machine->add_flag("--threads", which.by_thread, "slots are hardware threads, not cores");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() != 0) return refused({NEREUS_ERR_ARGUMENT, error.what()});
        return app.exit(error);
    }
    return mapping->parsed() ? map(matrix, topology) : show(which);
}
