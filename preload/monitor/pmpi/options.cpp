// SPDX-License-Identifier: BSD-3-Clause
#include "pmpi/options.hpp"

#include <charconv>
#include <cstdlib>

namespace nereus::pmpi {
namespace {

template <class T> bool number(const std::string &text, T least, T most, T &into) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most)) return false;
    into = value;
    return true;
}

}

const std::vector<OptionRow> &option_table() {
    static const std::vector<OptionRow> table{
        {"NEREUS_MONITOR", "on", "", "on, off, inside, none",
         "whether recording begins with MPI_Init; off: when the program switches it on; inside: it does, for the "
         "program alone, without a file; none: there is no record",
         [](Options &o, const std::string &text) {
             o.record = text == "on" || text == "inside";
             o.has_record = text != "none";
             o.has_file = text != "inside";
             return text == "on" || text == "off" || text == "inside" || text == "none";
         }},
        {"NEREUS_MONITOR_FILE", "", "", "the name of a file", "where the record of the run is written",
         [](Options &o, const std::string &text) {
             o.file = text;
             return true;
         }},
        {"NEREUS_MONITOR_FORMAT", "json", "", "json, cbor",
         "json: one line for each event; cbor: smaller, not to be read by people",
         [](Options &o, const std::string &text) {
             o.encoding = text == "cbor" ? monitor::Encoding::cbor : monitor::Encoding::json_lines;
             return text == "json" || text == "cbor";
         }},
        {"NEREUS_MONITOR_MODEL", "off", "", "on, off",
         "whether a model supplies the messages that collectives are made of, where they are not seen",
         [](Options &o, const std::string &text) {
             o.model = text == "on";
             return text == "on" || text == "off";
         }},
        {"NEREUS_MONITOR_PARTS", "", "", "the name of a folder", "where each process has its record while it runs",
         [](Options &o, const std::string &text) {
             o.parts = text;
             return true;
         }},
        {"NEREUS_MONITOR_CALLS", "", "", "the name of a folder", "where each process writes the time of each call",
         [](Options &o, const std::string &text) {
             o.calls = text;
             return true;
         }},
        {"NEREUS_MONITOR_MOST_CALLS", "2097152", "", "1 to 2^40", "how many calls of a process are kept there",
         [](Options &o, const std::string &text) {
             return number(text, std::uint64_t{1}, std::uint64_t{1} << 40, o.most_calls);
         }},
        {"NEREUS_MONITOR_TRACE", "", "", "the name of a folder", "where each process writes its trace",
         [](Options &o, const std::string &text) {
             o.trace = text;
             return true;
         }},
        {"NEREUS_MONITOR_EVENTS", "1048576", "", "1024 to 2^24",
         "how many events the trace of a process keeps: the last",
         [](Options &o, const std::string &text) {
             return number(text, std::uint64_t{1} << 10, std::uint64_t{1} << 24, o.most_events);
         }},
        {"NEREUS_MONITOR_TRACE_CALLS", "", "", "names of calls without MPI_, with commas in between",
         "calls that the trace takes; all, if not given",
         [](Options &o, const std::string &text) { return read_call_names(text, o.trace_limits.filter.calls); }},
        {"NEREUS_MONITOR_TRACE_MIN_BYTES", "0", "bytes", "0 to 2^62",
         "the trace leaves out smaller messages, and calls that move less but not nothing",
         [](Options &o, const std::string &text) {
             return number(text, std::uint64_t{0}, std::uint64_t{1} << 62, o.trace_limits.filter.least_bytes);
         }},
        {"NEREUS_MONITOR_TRACE_RANKS", "", "", "ranks and ranges of them, such as 0-3,8",
         "ranks in MPI_COMM_WORLD that have a trace; all, if not given",
         [](Options &o, const std::string &text) { return read_ranks(text, o.trace_limits.ranks); }},
        {"NEREUS_MONITOR_TRACE_WINDOWS", "off", "", "on, off",
         "on: the trace records only in the iterations and around the resizes that are given, and when `nereus trace "
         "JOB` asks for it",
         [](Options &o, const std::string &text) {
             o.trace_limits.windows.is_off = text == "on";
             return text == "on" || text == "off";
         }},
        {"NEREUS_MONITOR_TRACE_ITERATIONS", "", "", "a number or a range, such as 100-120",
         "iterations in which it records then",
         [](Options &o, const std::string &text) { return read_iterations(text, o.trace_limits.windows.iterations); }},
        {"NEREUS_MONITOR_TRACE_RESIZES", "", "s", "0 to 86400",
         "it records then during each resize, and for so long behind it",
         [](Options &o, const std::string &text) {
             double seconds = 0;
             if (!number(text, 0.0, 86400.0, seconds)) return false;
             o.trace_limits.windows.around_resizes = seconds;
             return true;
         }},
        {"NEREUS_MONITOR_RUN", "", "", "at most 39 letters, digits and -", "the run that a world belongs to",
         [](Options &o, const std::string &text) {
             o.run = text;
             return text.size() < 40;
         }},
        {"NEREUS_MONITOR_WINDOW", "1", "s", "0.001 to 86400", "length of a window of time",
         [](Options &o, const std::string &text) { return number(text, 0.001, 86400.0, o.window); }},
        {"NEREUS_MONITOR_WINDOWS", "65536", "", "1024 to 16777216",
         "how many entries of its history a thread keeps: one for each peer, kind and window",
         [](Options &o, const std::string &text) { return number(text, 1024, 1 << 24, o.windows); }},
        {"NEREUS_MONITOR_TIME_LIMIT", "30", "s", "0.1 to 86400", "how long all processes may take to reach MPI_Init",
         [](Options &o, const std::string &text) { return number(text, 0.1, 86400.0, o.time_limit); }},
    };
    return table;
}

Options read_options() {
    Options options;
    for (const OptionRow &row : option_table()) {
        const char *value = std::getenv(row.name);
        if (!value || !*value) continue;
        Options changed = options;
        if (row.set(changed, value))
            options = changed;
        else
            options.refused.push_back(std::string(row.name) + "=" + value + ": allowed is " + row.allowed +
                                      "; taken is " + row.initial);
    }
    return options;
}

}
