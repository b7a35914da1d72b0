// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: tools that read Open MPI's monitoring through MPI_T, and what these could never read.
#include "expect.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <mpi.h>
#include <numeric>
#include <string>
#include <vector>

using testing_mpi::expect;

namespace {

int rank = 0, ranks = 1;
using Values = std::vector<unsigned long long>;

/// A handle of a session of its own.
class Variable {
public:
    Variable(const std::string &name, int of_class, MPI_Comm comm) {
        int index = -1;
        const int found = MPI_T_pvar_get_index(name.c_str(), of_class, &index);
        expect(found == MPI_SUCCESS, name.c_str());
        MPI_T_pvar_session_create(&session_);
        MPI_T_pvar_handle_alloc(session_, index, &comm, &handle_, &number_);
        MPI_T_pvar_start(session_, handle_);
    }
    ~Variable() {
        MPI_T_pvar_handle_free(session_, &handle_);
        MPI_T_pvar_session_free(&session_);
    }
    Variable(const Variable &) = delete;
    Variable &operator=(const Variable &) = delete;

    Values read() {
        Values values(static_cast<std::size_t>(number_));
        expect(MPI_T_pvar_read(session_, handle_, values.data()) == MPI_SUCCESS, "a value can be read");
        return values;
    }
    void start() { expect(MPI_T_pvar_start(session_, handle_) == MPI_SUCCESS, "a handle can be started"); }
    void stop() { expect(MPI_T_pvar_stop(session_, handle_) == MPI_SUCCESS, "a handle can be stopped"); }

private:
    MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
    int number_ = 0;
};

void send_to_next(MPI_Comm comm, int own, int size) {
    int out = rank, in = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, (own + 1) % size, 0, &in, 1, MPI_INT, (own + size - 1) % size, 0, comm,
                 MPI_STATUS_IGNORE);
}

unsigned long long sum(const Values &values) { return std::accumulate(values.begin(), values.end(), 0ULL); }

void handles_of_different_sessions_do_not_disturb_each_other() {
    Variable first("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
    Variable second("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
    const unsigned long long before = sum(first.read());
    send_to_next(MPI_COMM_WORLD, rank, ranks);
    second.stop();
    send_to_next(MPI_COMM_WORLD, rank, ranks);
    const Values now = first.read();
    expect(now.size() == static_cast<std::size_t>(ranks), "one value for each rank");
    expect(sum(now) == before + 2, "messages are counted on");
}

void values_begin_at_0_and_count_while_a_handle_runs() {
    send_to_next(MPI_COMM_WORLD, rank, ranks);
    for (const char *name : {"pml_monitoring_messages_count", "pml_monitoring_messages_histogram"}) {
        Variable sent(name, MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
        expect(sum(sent.read()) == 0, "a new handle has counted nothing");
        send_to_next(MPI_COMM_WORLD, rank, ranks);
        expect(sum(sent.read()) == 1, "it counts from its start");
        sent.stop();
        send_to_next(MPI_COMM_WORLD, rank, ranks);
        expect(sum(sent.read()) == 1, "to its stop");
        sent.start();
        send_to_next(MPI_COMM_WORLD, rank, ranks);
        sent.stop();
        expect(sum(sent.read()) == 2, "and goes on where it is started again");
    }
}

void send_as_many_as_the_rank_and_one() {
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    std::vector<MPI_Request> sent(static_cast<std::size_t>(rank) + 1);
    for (MPI_Request &request : sent) MPI_Isend(&rank, 1, MPI_INT, next, 0, MPI_COMM_WORLD, &request);
    for (int k = 0, in = 0; k <= before; ++k) MPI_Recv(&in, 1, MPI_INT, before, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Waitall(static_cast<int>(sent.size()), sent.data(), MPI_STATUSES_IGNORE);
}

/// Bosilca et al. 2017, Fig. 1: how many messages any process sent to each rank in a part of the program.
void program_of_the_paper_gives_what_was_sent_in_between() {
    for (int k = 0; k < 5; ++k) send_to_next(MPI_COMM_WORLD, rank, ranks);
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_Comm comm = MPI_COMM_WORLD;
    int index = -1, number = 0;
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &index);
    MPI_T_pvar_handle_alloc(session, index, &comm, &handle, &number);
    Values counts(static_cast<std::size_t>(number));
    MPI_T_pvar_start(session, handle);
    send_as_many_as_the_rank_and_one();
    MPI_T_pvar_read(session, handle, counts.data());
    MPI_Allreduce(MPI_IN_PLACE, counts.data(), number, MPI_UNSIGNED_LONG_LONG, MPI_MAX, MPI_COMM_WORLD);
    MPI_T_pvar_stop(session, handle);
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
    for (int to = 0; to < ranks; ++to)
        expect(counts[static_cast<std::size_t>(to)] == static_cast<unsigned long long>((to + ranks - 1) % ranks + 1),
               "the greatest number of messages to a rank is that of its only sender");
}

void a_part_of_the_world_can_be_read() {
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    int own = 0, size = 1;
    MPI_Comm_rank(part, &own);
    MPI_Comm_size(part, &size);
    {
        Variable sizes("pml_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, part);
        const Values before = sizes.read();
        send_to_next(part, own, size);
        Values now = sizes.read();
        expect(now.size() == static_cast<std::size_t>(size), "one value for each rank of the part");
        for (std::size_t i = 0; i < now.size(); ++i) now[i] -= before[i];
        expect(sum(now) == sizeof(int) && now[static_cast<std::size_t>((own + 1) % size)] == sizeof(int),
               "4 bytes to the next");
    }
    MPI_Comm_free(&part);
}

void what_collectives_are_made_of_is_told_apart() {
    Variable inner("pml_monitoring_internal_count", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
    Variable outer("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
    Variable histogram("pml_monitoring_messages_histogram", MPI_T_PVAR_CLASS_SIZE, MPI_COMM_WORLD);
    send_to_next(MPI_COMM_WORLD, rank, ranks);
    const unsigned long long sent = sum(outer.read()), made = sum(inner.read());
    expect(sent == 1, "a message of the program");
    MPI_Barrier(MPI_COMM_WORLD);
    expect(sum(outer.read()) == sent, "a barrier is no message of the program");
    expect(ranks == 1 || sum(inner.read()) > made, "it is made of messages");
    expect(sum(histogram.read()) == sent, "each message has a size");
}

void collectives_are_counted_by_their_shape() {
    Variable calls("coll_monitoring_o2a_count", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD);
    Variable bytes("coll_monitoring_o2a_size", MPI_T_PVAR_CLASS_AGGREGATE, MPI_COMM_WORLD);
    const unsigned long long before = bytes.read().front(), called = calls.read().front();
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    expect(calls.read().front() == called + 1, "one call");
    const unsigned long long own = rank == 0 ? sizeof(int) * (static_cast<unsigned long long>(ranks) - 1) : 0;
    expect(bytes.read().front() == before + own, "bytes to all others from the root");
}

/// In a folder of this run.
std::string text_of(const std::string &file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void what_was_sent_between_start_and_stop_is_written_to_files() {
    int index = -1, number = 0;
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_pvar_get_index("pml_monitoring_flush", MPI_T_PVAR_CLASS_GENERIC, &index);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &number);
    MPI_T_pvar_start(session, handle);
    MPI_T_pvar_handle_free(session, &handle); // and never stopped
    MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &number);
    const std::string name = "flushed-" + std::to_string(ranks);
    expect(MPI_T_pvar_write(session, handle, name.c_str()) == MPI_SUCCESS, "a name can be written");
    send_to_next(MPI_COMM_WORLD, rank, ranks);
    MPI_T_pvar_start(session, handle);
    send_to_next(MPI_COMM_WORLD, rank, ranks);
    expect(MPI_T_pvar_stop(session, handle) == MPI_SUCCESS, "files can be written");
    const std::string file = name + "." + std::to_string(rank) + ".prof";
    const std::string line = "E\t" + std::to_string(rank) + "\t" + std::to_string((rank + 1) % ranks);
    expect(text_of(file).find(line + "\t4 bytes\t1 msgs sent\t0,0,0,1,0") != std::string::npos,
           "one message, with its size");
    std::remove(file.c_str());
    MPI_T_pvar_handle_free(session, &handle);
    MPI_T_pvar_session_free(&session);
}

}

int main(int argc, char **argv) {
    int provided = 0;
    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    values_begin_at_0_and_count_while_a_handle_runs();
    program_of_the_paper_gives_what_was_sent_in_between();
    handles_of_different_sessions_do_not_disturb_each_other();
    a_part_of_the_world_can_be_read();
    what_collectives_are_made_of_is_told_apart();
    collectives_are_counted_by_their_shape();
    what_was_sent_between_start_and_stop_is_written_to_files();
    MPI_T_finalize();
    MPI_Finalize();
    return 0;
}
