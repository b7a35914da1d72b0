// SPDX-License-Identifier: BSD-3-Clause
#include "applications/options.hpp"

#include <CLI/CLI.hpp>

namespace applications {

bool is_converged(const Options &options, std::int64_t iterations, double change) {
    return iterations > 0 && change <= options.tolerance;
}

bool is_done(const Options &options, std::int64_t iterations, double change) {
    const bool is_good = options.tolerance > 0 && is_converged(options, iterations, change);
    return is_good || iterations >= options.iterations;
}

void add_options(CLI::App &app, Options &options) {
    app.add_option("--iterations", options.iterations, "how many at most")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 53));
    app.add_option("--tolerance", options.tolerance, "ends before, when this is reached; 0: never")
        ->check(CLI::Range(0.0, 1.0));
    add_resizes(app, options.resizes);
    app.add_option("--result", options.result, "file for the line of results, instead of stdout");
    app.allow_extras();
}

void add_resizes(CLI::App &app, Schedule &resizes) {
    app.add_option_function<std::vector<std::string>>(
           "--resize",
           [&resizes](const std::vector<std::string> &words) {
               for (const std::string &word : words) resizes.push_back(read_resize(word));
           },
           "AT:RANKS: ask for RANKS processes when AT iterations are done; may be given several times")
        ->expected(1)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option *add_piece(CLI::App &app, std::int64_t &bytes) {
    return app.add_option("--piece", bytes, "bytes that all write before they wait for the device; 1 MiB if not given")
        ->check(CLI::Range(std::int64_t{8}, std::int64_t{1} << 30));
}

std::string complaint_of_words(const CLI::App &app) {
    for (const std::string &word : app.remaining())
        if (!word.starts_with("--nereus-")) return word + ": there is no such option (--help)";
    return "";
}

}
