// SPDX-License-Identifier: BSD-3-Clause
#include "base/settings.hpp"

#include "base/host_list.hpp"
#include "base/methods.hpp"
#include "base/settings_numbers.hpp"
#include "base/strategies.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace nereus {
namespace {

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
    return read_number(text.substr(0, dot), std::uint64_t{0}, UINT64_MAX, request) &&
           read_number(text.substr(dot + 1), 0, 2147483647, party);
}

bool is_job_name(const std::string &text) {
    constexpr std::size_t digits = 16;
    return text.size() == digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

constexpr double most_seconds = 1e6;
constexpr double least_seconds_between_epochs = 1e-3;

std::vector<SettingRow> rows_of_resize_options() {
    std::vector<SettingRow> rows;
    for (const ResizeOption &option : resize_options)
        rows.push_back({option.name, option.initial, "", allowed_of(option), option.help, form_of(option)});
    return rows;
}

std::vector<SettingRow> rows_of_the_library() {
    return {
        {"costs", "", "", "a file that `nereus calibrate` made, or empty",
         "costs from which `auto` chooses transfer method and strategy; empty: p2p and blocking",
         form::any_text(&Settings::costs)},
        {"results", "", "", "a file that can be written, or empty",
         "where rank 0 writes what iterations, their stages and resizes took; empty: nowhere",
         form::any_text(&Settings::results)},
        {"memory", "auto", "", allowed_of(words::memories),
         "where the library's own arrays lie: shared by the processes of a host, so that their data need not move "
         "there; auto: shared where that works",
         form::one_of(&Settings::memory, words::memories)},
        {"wake", "on", "", "on, off", "parked processes are woken before any are made",
         form::on_or_off(&Settings::wake)},
    };
}

std::vector<SettingRow> rows_of_epochs() {
    return {
        {"save", "", "", "a folder that can be made, or one of epochs, or empty",
         "where epochs are saved, on request or every so often; empty: nowhere", form::any_text(&Settings::save)},
        {"save-every", "0", "s", "0 .. 1e6, or auto",
         "how often an epoch is saved; 0: on request only; auto: as often as that takes 1 % of the time at most",
         form::number_or(&Settings::save_every, 0.0, most_seconds, "auto", automatically)},
        {"protect-every", "auto", "s", "1e-3 .. 1e6, or auto",
         "how often an epoch is kept in memory, where protect-folder is set; auto: as often as that takes 1 % of the "
         "time at most",
         form::number_or(&Settings::protect_every, least_seconds_between_epochs, most_seconds, "auto", automatically)},
        {"protect", "memory", "", "memory, buddy",
         "where epochs in memory are: on the host that all processes are on; buddy: on the host of each process, and "
         "a copy on another one of the job",
         form::one_of(&Settings::protect, {"memory", "buddy"})},
        {"resume", "", "", "a folder of epochs, one epoch in it, or empty",
         "the epoch from which the job continues, the newest one of a folder; empty: it begins anew",
         form::any_text(&Settings::resume), "newcomers get their data from the job"},
    };
}

std::vector<SettingRow> rows_of_places() {
    return {
        {"hosts", "", "", "NAME:SLOTS,NAME,... with 1 .. 1048576 slots (1 if not given), or empty",
         "hosts for new processes; empty: the MPI chooses", form::text(&Settings::hosts, is_host_list)},
        {"start-ranks", "0", "processes", "0 .. 2147483647",
         "size of the job after `nereus_open()`, which makes those that are missing; 0: as many as were started",
         form::number(&Settings::start_ranks, 0, 2147483647)},
    };
}

std::vector<SettingRow> rows_of_the_supervisor() {
    return {
        {"job", "", "", "16 digits 0 .. 9, a .. f, or empty", "set by the supervisor: the job's key",
         form::text(&Settings::job, is_job_name)},
        {"link", "", "", "ipc://PATH, tcp://HOST:PORT, or empty",
         "address of the supervisor, which sets this; empty: there is none", form::text(&Settings::link, is_address)},
        {"link-keys", "", "", "a file, or empty",
         "set by the supervisor of a job on several hosts: keys by which the two recognise one another; made anew for "
         "each job",
         form::any_text(&Settings::link_keys)},
        {"controller", "", "", "ipc://PATH, tcp://HOST:PORT, or empty",
         "address of the daemon that decides when this job may write and how many processes it has; set by the "
         "supervisor where a daemon runs; empty: there is none",
         form::text(&Settings::controller, is_address),
         "rank 0 alone needs it, and hands it on with its line to the daemon"},
        {"controller-keys", "", "", "a file that `nereus daemon --make-keys` made for jobs, or empty",
         "keys by which the job and a daemon on the network recognise one another",
         form::any_text(&Settings::controller_keys),
         "rank 0 alone needs it, and hands it on with its line to the daemon"},
        {"io-timeout", "2", "s", "0 .. 1e6",
         "an I/O phase begins without a turn when the daemon has not answered for so long",
         form::number(&Settings::io_timeout, 0.0, most_seconds)},
        {"joins", "off", "", "on, off", "set by the supervisor: it can start processes that join the job",
         form::on_or_off(&Settings::joins)},
        {"restart-folder", "", "", "a folder that can be made, or empty",
         "set by the supervisor: where data is kept while the processes are started anew (process method restart); "
         "empty: it starts none",
         form::any_text(&Settings::restart_folder)},
        {"restarted", "off", "", "on, off",
         "set by the supervisor: this process was started anew, and its data is in restart-folder",
         form::on_or_off(&Settings::restarted), "it is about how this process was started"},
        {"protect-folder", "", "", "a folder in memory, or empty",
         "set by the supervisor: where epochs are kept that outlive the processes of this host; empty: none are",
         form::any_text(&Settings::protect_folder)},
        {"founders", "0", "processes", "0 .. 2147483647",
         "set by the supervisor: how many processes it started as one MPI_COMM_WORLD; 0: not known",
         form::number(&Settings::founders, 0, 2147483647),
         "it is about the MPI_COMM_WORLD that this process was started in"},
        {"party", "", "", "REQUEST.PARTY, or empty",
         "set by the supervisor: for which resize, and as which of its parties, it started this process",
         form::text(&Settings::party, is_party),
         "by it a newcomer finds the job, before it receives the job's settings"},
    };
}

std::vector<SettingRow> rows_of_limits() {
    return {
        {"verify", "off", "", "on, off",
         "compare checksums of all data that processes sent to others, after each transfer",
         form::on_or_off(&Settings::verify)},
        {"max-ranks", "65536", "processes", "1 .. 2147483647", "largest number of processes that may be asked for",
         form::number(&Settings::max_ranks, 1, 2147483647)},
        {"outside-requests", "on", "", "on, off",
         "requests of `nereus resize` and commands of the daemon are carried out; off: they are refused",
         form::on_or_off(&Settings::outside_requests)},
        {"balance", "off", "", "on, off",
         "rows of weighted arrays and matrices move from ranks that compute longer than others to these",
         form::on_or_off(&Settings::balance)},
        {"connect-timeout", "30", "s", "0.1 .. 1e6", "how long newcomers may take to report that they have started",
         form::number(&Settings::connect_timeout, 0.1, most_seconds)},
        {"answer-timeout", "30", "s", "0.1 .. 1e6",
         "how long a newcomer may take to vote, in addition to the time for its data",
         form::number(&Settings::answer_timeout, 0.1, most_seconds)},
        {"slowest-rate", "50", "MB/s", "1e-3 .. 1e6", "a transfer slower than this is given up",
         form::number(&Settings::slowest_rate, 1e-3, 1e6)},
        {"message-bytes", "1073741824", "B", "1 .. 2147483647",
         "longer pieces of data travel as several messages; pieces are also cut so that transfer-memory suffices",
         form::number(&Settings::message_bytes, std::int64_t{1}, std::int64_t{2147483647})},
        {"transfer-memory", "67108864", "B", "65536 .. 2^62",
         "memory that a process may use for a transfer beside the old and the new data",
         form::number(&Settings::transfer_memory, std::int64_t{1} << 16, std::int64_t{1} << 62)},
    };
}

constexpr double least_share = 0.001;

/// Martín-Álvarez et al. 2024 and 2025 have 1 for all.
std::vector<SettingRow> rows_of_background_transfers() {
    return {
        {"background-share", "0.2", "", "0.001 .. 1",
         "share of an iteration, and where ranks outnumber cores of a core, that p2p and col take while the "
         "application iterates",
         form::number(&Settings::background_share, least_share, 1.0)},
        {"background-share-rma", "0.02", "", "0.001 .. 1", "the same of rma-lock and rma-lockall",
         form::number(&Settings::background_share_rma, least_share, 1.0)},
        {"background-share-thread", "0.03", "", "0.001 .. 1",
         "share of a core that a thread takes where ranks and threads outnumber cores",
         form::number(&Settings::background_share_thread, least_share, 1.0)},
    };
}

std::vector<SettingRow> make_table() {
    std::vector<SettingRow> table;
    for (const auto &rows : {rows_of_resize_options(), rows_of_the_library(), rows_of_epochs(), rows_of_places(),
                             rows_of_limits(), rows_of_background_transfers(), rows_of_the_supervisor()})
        table.insert(table.end(), rows.begin(), rows.end());
    return table;
}

Done apply(const SettingRow &row, const std::string &value, const std::string &origin, Settings &settings) {
    if (row.form.set(settings, value)) return {};
    const std::string why =
        row.form.why ? row.form.why(value) : "allowed is " + row.allowed + (row.unit.empty() ? "" : " " + row.unit);
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

std::map<std::string, std::string> texts_of_job(const Settings &settings) {
    std::map<std::string, std::string> texts;
    for (const SettingRow &row : settings_table())
        if (row.own_because.empty()) texts[row.name] = row.form.get(settings);
    return texts;
}

Result<Settings> with_settings_of_job(const Settings &own, std::map<std::string, std::string> texts) {
    Settings settings = own;
    for (const SettingRow &row : settings_table()) {
        if (!row.own_because.empty()) continue;
        const auto told = texts.extract(row.name);
        if (!told) return failed(NEREUS_ERR_SETTING, row.name + ": it is missing");
        if (auto done = apply(row, told.mapped(), row.name, settings); !done) return tl::unexpected(done.error());
    }
    if (texts.empty()) return settings;
    return failed(NEREUS_ERR_SETTING, texts.begin()->first + ": no job has such a setting");
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
