// SPDX-License-Identifier: BSD-3-Clause
// nereus-smpi: one simulation for `nereus simulate transfer` or `placement`; reads a question, prints the answer.
#include "question.hpp"

#include "base/printable.hpp"

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

namespace {

using Json = nlohmann::ordered_json;

int transfer(const std::string &file) {
    const auto done = smpi::redistribute(smpi::read_redistribution(file));
    if (!done) {
        std::cerr << nereus::printable(done.error().what) << "\n";
        return 1;
    }
    std::cout << Json{{"seconds", done->seconds},          {"bound", done->bound},
                      {"model_bound", done->model_bound},  {"link_bytes", done->load.link},
                      {"memory_bytes", done->load.memory}, {"moved_bytes", done->load.moved}}
                     .dump()
              << "\n";
    return 0;
}

int traffic(const std::string &file) {
    std::cout << Json{{"seconds", smpi::seconds_of(smpi::read_traffic(file))}}.dump() << "\n";
    return 0;
}

}

int main(int argc, char **argv) {
    CLI::App app{"Simulates what `nereus simulate transfer` and `nereus simulate placement` ask.\n\n"
                 "Example: nereus-smpi transfer question.json\n"};
    app.require_subcommand(1);
    std::string file;
    auto *moving = app.add_subcommand("transfer", "a redistribution by the code that moves real data");
    moving->add_option("QUESTION", file, "the cluster and the sizes, as JSON")->required();
    auto *sending = app.add_subcommand("traffic", "messages between ranks");
    sending->add_option("QUESTION", file, "the cluster and the messages, as JSON")->required();
    CLI11_PARSE(app, argc, argv);
    try {
        return moving->parsed() ? transfer(file) : traffic(file);
    } catch (const std::exception &problem) {
        std::cerr << nereus::printable(problem.what()) << "\n";
        return 2;
    }
}
