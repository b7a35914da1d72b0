// SPDX-License-Identifier: BSD-3-Clause
#include "applications/resizes.hpp"

#include "tools/common/program.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <optional>
#include <string_view>

namespace applications {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::string written(const WantedResize &wanted) {
    return "--resize " + std::to_string(wanted.iterations) + ":" + std::to_string(wanted.ranks);
}

}

WantedResize read_resize(const std::string &word) {
    constexpr std::int64_t most_ranks = 65536;
    const std::string_view text = word;
    const std::size_t colon = text.find(':');
    const auto at = whole_number(text.substr(0, colon));
    const auto ranks = colon == text.npos ? std::nullopt : whole_number(text.substr(colon + 1));
    if (!at || !ranks || *at < 1 || *ranks < 1 || *ranks > most_ranks)
        throw CLI::ValidationError("--resize", word + ": allowed is AT:RANKS, AT from 1, RANKS 1 .. 65536");
    return {*at, static_cast<int>(*ranks)};
}

void ask_for_resizes(const std::string &program, nereus::Job &job, const Schedule &schedule,
                     std::int64_t iterations_done) {
    if (job.rank() != 0) return;
    for (const WantedResize &wanted : schedule)
        if (wanted.iterations == iterations_done && nereus_resize(job.get(), wanted.ranks, nullptr, nullptr) < 0)
            common::say(program, written(wanted) + " is refused: " + job.message());
}

nereus::Outcome checkpoint(const std::string &program, nereus::Job &job, std::int64_t &rolled_back) {
    const std::uint64_t before = job.last_resize().request;
    const nereus::Outcome outcome = job.checkpoint();
    if (outcome != nereus::Outcome::go_on || job.rank() != 0) return outcome;
    const nereus_resize_report report = job.last_resize();
    if (report.request != before && report.code < 0) {
        ++rolled_back;
        common::say(program, job.message());
    }
    return outcome;
}

void say_what_never_came(const std::string &program, const nereus::Job &job, const Schedule &schedule,
                         std::int64_t iterations_done) {
    if (job.rank() != 0) return;
    for (const WantedResize &wanted : schedule)
        if (wanted.iterations > iterations_done)
            common::say(program, written(wanted) + " was not reached: the run ended after " +
                                     std::to_string(iterations_done) + " iterations");
}

}
