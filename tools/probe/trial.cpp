// SPDX-License-Identifier: BSD-3-Clause
#include "trial.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <iterator>
#include <regex>
#include <string_view>

namespace nereus::probe {
namespace {

/// Text that can stand between quotes in JSON: everything that would need an escape becomes a blank or '.
std::string quotable(std::string_view text) {
    std::string clean;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        clean += c == '"' ? '\'' : c == '\\' ? '/' : code < 0x20 || code > 0x7e ? ' ' : c;
    }
    return clean;
}

std::string_view last_line(std::string_view text) {
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    return text.substr(text.find_last_of('\n') == text.npos ? 0 : text.find_last_of('\n') + 1);
}

/// "MPID_Open_port(246)...: no space" -> "MPID_Open_port: no space": line numbers of the MPI's source help nobody.
std::string without_line_number(std::string_view line) {
    static const std::regex place(R"(\(\d+\)[. ]*:[. ]*)");
    return std::regex_replace(std::string(line), place, ": ");
}

std::string with_single_blanks(std::string_view text) {
    std::string single;
    std::unique_copy(text.begin(), text.end(), std::back_inserter(single),
                     [](char one, char next) { return one == ' ' && next == ' '; });
    return single;
}

void report(std::string_view feature, bool works, std::string_view reason) {
    std::printf("{\"feature\": \"%.*s\", \"works\": %s, \"reason\": \"%s\"}\n", static_cast<int>(feature.size()),
                feature.data(), works ? "true" : "false", quotable(reason).c_str());
    std::fflush(stdout);
}

void return_errors(MPI_Comm comm) { MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN); }

/// A communicator of parent and child together; `child_last` orders them.
int merge(MPI_Comm inter, bool child_last, MPI_Comm *both) {
    int code = MPI_Intercomm_merge(inter, child_last ? 1 : 0, both);
    if (code != MPI_SUCCESS) return code;
    return_errors(*both);
    int one = 1;
    int sum = 0;
    code = MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, *both);
    return code == MPI_SUCCESS && sum != 2 ? MPI_ERR_OTHER : code;
}

/// One number in each direction over the inter-communicator.
int exchange(MPI_Comm inter) {
    const int sent = 7;
    int received = 0;
    const int count = 1;
    const int displacement = 0;
    const int code =
        MPI_Alltoallv(&sent, &count, &displacement, MPI_INT, &received, &count, &displacement, MPI_INT, inter);
    return code == MPI_SUCCESS && received != sent ? MPI_ERR_OTHER : code;
}

/// The parent opens a port, tells the child its name ("" when there is none), and the two connect by it.
int accept_child(MPI_Comm both) {
    std::array<char, MPI_MAX_PORT_NAME> port{};
    const int opened = MPI_Open_port(MPI_INFO_NULL, port.data());
    if (opened != MPI_SUCCESS) port.fill('\0');
    MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, both);
    if (opened != MPI_SUCCESS) return opened;
    MPI_Comm connected = MPI_COMM_NULL;
    int code = MPI_Comm_accept(port.data(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &connected);
    if (code == MPI_SUCCESS) code = MPI_Comm_disconnect(&connected);
    MPI_Close_port(port.data());
    return code;
}

void connect_parent(MPI_Comm both) {
    std::array<char, MPI_MAX_PORT_NAME> port{};
    MPI_Bcast(port.data(), MPI_MAX_PORT_NAME, MPI_CHAR, 0, both);
    if (port[0] == '\0') return;
    MPI_Comm connected = MPI_COMM_NULL;
    if (MPI_Comm_connect(port.data(), MPI_INFO_NULL, 0, MPI_COMM_SELF, &connected) == MPI_SUCCESS)
        MPI_Comm_disconnect(&connected);
}

/// Make one trial and report it. False when it failed.
bool tried(std::string_view feature, const std::function<int()> &trial) {
    const int code = trial();
    report(feature, code == MPI_SUCCESS, code == MPI_SUCCESS ? "" : reason_of(code));
    return code == MPI_SUCCESS;
}

} // namespace

std::string reason_of(int code) {
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    int length = 0;
    if (MPI_Error_string(code, text.data(), &length) != MPI_SUCCESS) return "MPI error " + std::to_string(code);
    const std::string_view whole(text.data(), static_cast<std::size_t>(length));
    return without_line_number(last_line(whole));
}

void report_library(int thread_level) {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string_view whole(text.data(), static_cast<std::size_t>(length));
    const char *level = thread_level == MPI_THREAD_MULTIPLE     ? "multiple"
                        : thread_level == MPI_THREAD_SERIALIZED ? "serialized"
                        : thread_level == MPI_THREAD_FUNNELED   ? "funneled"
                                                                : "single";
    std::printf("{\"library\": \"%s\", \"thread_level\": \"%s\"}\n",
                with_single_blanks(quotable(whole.substr(0, whole.find('\n')))).c_str(), level);
    std::fflush(stdout);
}

bool try_as_parent(const char *program) {
    return_errors(MPI_COMM_SELF);
    return_errors(MPI_COMM_WORLD);
    MPI_Comm inter = MPI_COMM_NULL;
    MPI_Comm both = MPI_COMM_NULL;
    if (!tried("spawn", [&] {
            return MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter,
                                  MPI_ERRCODES_IGNORE);
        }))
        return true;
    return_errors(inter);
    if (!tried("merge", [&] { return merge(inter, false, &both); })) return false;
    if (!tried("intercommunicator_alltoallv", [&] { return exchange(inter); })) return false;
    // A port that cannot be opened hinders nothing else: the child is told and goes on.
    tried("ports", [&] { return accept_child(both); });
    MPI_Comm_free(&both);
    return tried("disconnect", [&] { return MPI_Comm_disconnect(&inter); });
}

void try_as_child(MPI_Comm parent) {
    return_errors(MPI_COMM_SELF);
    return_errors(parent);
    MPI_Comm both = MPI_COMM_NULL;
    if (merge(parent, true, &both) != MPI_SUCCESS || exchange(parent) != MPI_SUCCESS) return;
    connect_parent(both);
    MPI_Comm_free(&both);
    MPI_Comm_disconnect(&parent);
}

} // namespace nereus::probe
