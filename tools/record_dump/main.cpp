// SPDX-License-Identifier: BSD-3-Clause
// nereus-parts FILE... - prints what single processes recorded, also those that still run or were killed, as lines of
// docs/formats/monitor.md.
#include "base/printable.hpp"
#include "record/lines.hpp"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>

namespace {

constexpr int bad_input = 2;

using Lines = void (*)(const nereus::monitor::Arena &, const nereus::monitor::TakeLine &);

bool print(const std::string &file, Lines lines, nereus::monitor::Encoding encoding) {
    const auto part = nereus::monitor::Arena::open(file);
    if (!part) {
        nereus::print_line("nereus-parts", part.error().what);
        return false;
    }
    lines(*part, [&](const nlohmann::ordered_json &line) { std::cout << nereus::monitor::encoded(line, encoding); });
    return true;
}

}

int main(int argc, char **argv) {
    CLI::App app{"Prints what processes recorded whose run did not finish, or has not finished yet.\n\n"
                 "Example: nereus-parts nereus-monitor-1f.jsonl.parts/*.part\n"};
    std::vector<std::string> files;
    bool totals = false, cbor = false;
    app.add_option("FILE", files, "records of single processes")->required();
    app.add_flag("--totals", totals, "no windows of time and no communicators");
    app.add_flag("--cbor", cbor, "as a sequence of CBOR items instead of lines");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        if (error.get_exit_code() == 0) return app.exit(error);
        nereus::print_line("nereus-parts", error.what());
        return bad_input;
    }
    bool all_read = true;
    for (const std::string &file : files)
        all_read = print(file, totals ? nereus::monitor::totals_of : nereus::monitor::lines_of,
                         cbor ? nereus::monitor::Encoding::cbor : nereus::monitor::Encoding::json_lines) &&
                   all_read;
    if (!std::cout.flush()) {
        nereus::print_line("nereus-parts", "standard output cannot be written");
        return EXIT_FAILURE;
    }
    return all_read ? 0 : bad_input;
}
