// SPDX-License-Identifier: BSD-3-Clause
#include "base/settings.hpp"

#include "base/host_list.hpp"
#include "base/strategies.hpp"
#include "base/transfer_words.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace nereus {
namespace {

template <class T> bool number(const std::string &text, T least, T most, T &into) {
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) return false;
    if (!(value >= least && value <= most)) return false;
    into = value;
    return true;
}

bool choice(const std::string &text, const std::vector<std::string> &names, int &into) {
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) return false;
    into = static_cast<int>(found - names.begin());
    return true;
}

bool on_or_off(const std::string &text, bool &into) {
    int which = 0;
    if (!choice(text, {"off", "on"}, which)) return false;
    into = which == 1;
    return true;
}

bool strategies_of(const std::string &text, unsigned &into) {
    const auto bits = strategies::read_strategies(text);
    if (bits) into = *bits;
    return bits.has_value();
}

std::string why_no_strategies(const std::string &text) {
    const auto bits = strategies::read_strategies(text);
    return bits ? "" : bits.error().what;
}

/// `text` when it is empty or `is_good` says so.
template <class Test> bool text_if(const std::string &text, std::string &into, Test is_good) {
    if (!text.empty() && !is_good(text)) return false;
    into = text;
    return true;
}

bool is_host_list(const std::string &text) { return read_hosts(text).has_value(); }

bool is_address(const std::string &text) {
    constexpr std::size_t length_of_scheme = 6;
    return (text.starts_with("ipc://") || text.starts_with("tcp://")) && text.size() > length_of_scheme;
}

bool is_party(const std::string &text) {
    const auto dot = text.find('.');
    if (dot == std::string::npos) return false;
    std::uint64_t request = 0;
    int party = 0;
    return number(text.substr(0, dot), std::uint64_t{0}, UINT64_MAX, request) &&
           number(text.substr(dot + 1), 0, 2147483647, party);
}

bool is_job_name(const std::string &text) {
    constexpr std::size_t digits = 16;
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

constexpr double most_seconds = 1e6;

std::vector<SettingRow> rows_of_methods() {
    return {
        {"process-method", "merge", "", "merge, baseline-inter, baseline-intra",
         "how processes of a new size come about",
         [](Settings &s, const std::string &t) {
             return choice(t, {"merge", "baseline-inter", "baseline-intra"}, s.process_method);
         }},
        {"process-strategies", "auto", "", strategies::allowed, "how the process method is carried out",
         [](Settings &s, const std::string &t) { return strategies_of(t, s.process_strategies); }, why_no_strategies},
        {"transfer-method", "auto", "", "auto, p2p, col, rma-lock, rma-lockall", "which MPI calls carry the data",
         [](Settings &s, const std::string &t) { return choice(t, transfer_methods, s.transfer_method); }},
        {"transfer-strategy", "auto", "", "auto, blocking, nonblocking, wait-drains, thread",
         "who waits for constant data",
         [](Settings &s, const std::string &t) { return choice(t, transfer_strategies, s.transfer_strategy); }},
        {"costs", "", "", "a file that `nereus calibrate` made, or empty",
         "by what `auto` chooses transfer method and strategy; empty: p2p and blocking",
         [](Settings &s, const std::string &t) {
             s.costs = t;
             return true;
         }},
        {"results", "", "", "a file that can be written, or empty",
         "where rank 0 writes what iterations, their stages and resizes took; empty: nowhere",
         [](Settings &s, const std::string &t) {
             s.results = t;
             return true;
         }},
        {"memory", "auto", "", "auto, shared, private",
         "where the library's own arrays lie: shared by the processes of a host, so that their data need not move "
         "there; "
         "auto: shared where that works",
         [](Settings &s, const std::string &t) { return choice(t, {"private", "shared", "auto"}, s.memory); }},
        {"survivors", "auto", "", "auto, first, least-movement",
         "which processes go on with merge: the first ones, or those that most bytes stay with; auto: of the choices "
         "that "
         "let most processes end that with the least movement",
         [](Settings &s, const std::string &t) { return choice(t, {"first", "least-movement", "auto"}, s.survivors); }},
        {"wake", "on", "", "on, off", "parked processes are woken before any are made",
         [](Settings &s, const std::string &t) { return on_or_off(t, s.wake); }},
    };
}

std::vector<SettingRow> rows_of_places() {
    return {
        {"hosts", "", "", "NAME:SLOTS,NAME,... with 1 .. 1048576 slots (1 where not said), or empty",
         "hosts for new processes; empty: the MPI chooses",
         [](Settings &s, const std::string &t) { return text_if(t, s.hosts, is_host_list); }},
        {"placement", "compact", "", "compact, spread, measured",
         "new processes fill the hosts in their order, or go to the host with the fewest; measured: ranks are on one "
         "host that sent each other much",
         [](Settings &s, const std::string &t) { return choice(t, {"compact", "spread", "measured"}, s.placement); }},
        {"oversubscribe", "off", "", "on, off", "a host may get more processes than it has slots",
         [](Settings &s, const std::string &t) { return on_or_off(t, s.oversubscribe); }},
        {"allow-fewer", "off", "", "on, off",
         "where the hosts have too few slots, a resize takes what they have instead of being refused",
         [](Settings &s, const std::string &t) { return on_or_off(t, s.allow_fewer); }},
        {"release-unit", "job", "", "job, host, rank",
         "what can leave for good alone: all processes that a resize made, those on one host, or each",
         [](Settings &s, const std::string &t) { return choice(t, {"job", "host", "rank"}, s.release_unit); }},
        {"start-ranks", "0", "processes", "0 .. 2147483647",
         "size of the job after `nereus_open()`, which makes those that are missing; 0: as many as were started",
         [](Settings &s, const std::string &t) { return number(t, 0, 2147483647, s.start_ranks); }},
    };
}

std::vector<SettingRow> rows_of_the_supervisor() {
    return {
        {"job", "", "", "16 digits 0 .. 9, a .. f, or empty", "set by the supervisor: the job's random name",
         [](Settings &s, const std::string &t) { return text_if(t, s.job, is_job_name); }},
        {"link", "", "", "ipc://PATH, tcp://HOST:PORT, or empty",
         "set by the supervisor: where it listens; empty: there is none",
         [](Settings &s, const std::string &t) { return text_if(t, s.link, is_address); }},
        {"link-keys", "", "", "a file, or empty",
         "set by the supervisor of a job on several hosts: by which keys the two know one another; made anew for each "
         "job",
         [](Settings &s, const std::string &t) {
             s.link_keys = t;
             return true;
         }},
        {"controller", "", "", "ipc://PATH, tcp://HOST:PORT, or empty",
         "where the daemon listens that says when this job may write and how many processes it has; set by the "
         "supervisor "
         "where a daemon runs; empty: nobody does",
         [](Settings &s, const std::string &t) { return text_if(t, s.controller, is_address); }},
        {"controller-keys", "", "", "a file that `nereus daemon --make-keys` made for jobs, or empty",
         "by which the job and a daemon on the network know one another",
         [](Settings &s, const std::string &t) {
             s.controller_keys = t;
             return true;
         }},
        {"io-timeout", "2", "s", "0 .. 1e6",
         "an I/O phase begins without a turn when the daemon has not answered for so long",
         [](Settings &s, const std::string &t) { return number(t, 0.0, most_seconds, s.io_timeout); }},
        {"joins", "off", "", "on, off", "set by the supervisor: it can start processes that join the job",
         [](Settings &s, const std::string &t) { return on_or_off(t, s.joins); }},
        {"founders", "0", "processes", "0 .. 2147483647",
         "set by the supervisor: how many processes it started as one MPI_COMM_WORLD; 0: not known",
         [](Settings &s, const std::string &t) { return number(t, 0, 2147483647, s.founders); }},
        {"party", "", "", "REQUEST.PARTY, or empty",
         "set by the supervisor: for which resize, and as which of its parties, it started this process",
         [](Settings &s, const std::string &t) { return text_if(t, s.party, is_party); }},
    };
}

std::vector<SettingRow> rows_of_limits() {
    return {
        {"verify", "off", "", "on, off",
         "compare checksums of all data that processes sent to others, after each transfer",
         [](Settings &s, const std::string &t) { return on_or_off(t, s.verify); }},
        {"max-ranks", "65536", "processes", "1 .. 2147483647", "largest number of processes that may be asked for",
         [](Settings &s, const std::string &t) { return number(t, 1, 2147483647, s.max_ranks); }},
        {"connect-timeout", "30", "s", "0.1 .. 1e6", "how long newcomers may take to say that they are up",
         [](Settings &s, const std::string &t) { return number(t, 0.1, most_seconds, s.connect_timeout); }},
        {"answer-timeout", "30", "s", "0.1 .. 1e6", "how long a newcomer may take to vote, besides its data's time",
         [](Settings &s, const std::string &t) { return number(t, 0.1, most_seconds, s.answer_timeout); }},
        {"slowest-rate", "50", "MB/s", "1e-3 .. 1e6", "a transfer slower than this is given up",
         [](Settings &s, const std::string &t) { return number(t, 1e-3, 1e6, s.slowest_rate); }},
        {"message-bytes", "1073741824", "B", "1 .. 2147483647",
         "longer pieces of data travel as several messages; pieces are also cut so that transfer-memory suffices",
         [](Settings &s, const std::string &t) {
             return number(t, std::int64_t{1}, std::int64_t{2147483647}, s.message_bytes);
         }},
        {"transfer-memory", "67108864", "B", "65536 .. 2^62",
         "memory that a process may use for a transfer beside the old and the new data",
         [](Settings &s, const std::string &t) {
             return number(t, std::int64_t{1} << 16, std::int64_t{1} << 62, s.transfer_memory);
         }},
    };
}

std::vector<SettingRow> make_table() {
    std::vector<SettingRow> table;
    for (const auto &rows : {rows_of_methods(), rows_of_places(), rows_of_limits(), rows_of_the_supervisor()})
        table.insert(table.end(), rows.begin(), rows.end());
    return table;
}

Done apply(const SettingRow &row, const std::string &value, const std::string &origin, Settings &settings) {
    if (row.set(settings, value)) return {};
    const std::string why =
        row.why ? row.why(value) : "allowed is " + row.allowed + (row.unit.empty() ? "" : " " + row.unit);
    return failed(NEREUS_ERR_SETTING, origin + " = " + (value.empty() ? "(empty)" : value) + ": " + why);
}

Done apply_argument(std::string_view argument, Settings &settings) {
    constexpr std::string_view prefix = "--nereus-";
    if (!argument.starts_with(prefix)) return {};
    const auto equals = argument.find('=');
    const std::string flag(argument.substr(0, equals));
    const std::string value(equals == std::string_view::npos ? "" : argument.substr(equals + 1));
    for (const SettingRow &row : settings_table())
        if (flag == std::string(prefix) + row.name) return apply(row, value, flag, settings);
    return failed(NEREUS_ERR_SETTING, flag + ": there is no such setting; docs/reference/settings.md lists them");
}

}

const std::vector<SettingRow> &settings_table() {
    static const std::vector<SettingRow> table = make_table();
    return table;
}

std::string environment_name(const SettingRow &row) {
    std::string name = "NEREUS_" + row.name;
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return c == '-' ? '_' : std::toupper(c); });
    return name;
}

Done set_setting(Settings &settings, const std::string &name, const std::string &value) {
    for (const SettingRow &row : settings_table())
        if (row.name == name) return apply(row, value, name, settings);
    return failed(NEREUS_ERR_SETTING, name + ": there is no such setting; docs/reference/settings.md lists them");
}

Result<Settings> read_settings(int argc, const char *const *argv) {
    Settings settings;
    for (const SettingRow &row : settings_table()) {
        const std::string name = environment_name(row);
        const char *value = std::getenv(name.c_str());
        if (value == nullptr) continue;
        if (auto done = apply(row, value, name, settings); !done) return tl::unexpected(done.error());
    }
    for (int i = 1; i < argc; ++i)
        if (auto done = apply_argument(argv[i], settings); !done) return tl::unexpected(done.error());
    return settings;
}

}
