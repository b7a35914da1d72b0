// SPDX-License-Identifier: BSD-3-Clause
// What a user would lose: the traffic of one phase, read while the program runs (nereus/monitor.h).
#include "expect.hpp"

#include <algorithm>
#include <array>
#include <mpi.h>
#include <nereus/monitor.h>
#include <string>
#include <vector>

using testing_mpi::expect;

namespace {

int rank = 0, ranks = 1;

std::vector<nereus_monitor_pair> read(const nereus_monitor_session *session) {
    int number = 0;
    expect(nereus_monitor_read(session, nullptr, &number) == NEREUS_OK,
           "nereus_monitor_read(session, nullptr, &number) == NEREUS_OK");
    std::vector<nereus_monitor_pair> pairs(number);
    expect(nereus_monitor_read(session, pairs.data(), &number) == NEREUS_OK,
           "nereus_monitor_read(session, pairs.data(), &number) == NEREUS_OK");
    return pairs;
}

std::uint64_t messages(const nereus_monitor_session *session, int kind) {
    std::uint64_t sum = 0;
    for (const nereus_monitor_pair &pair : read(session))
        if (pair.kind == kind) sum += pair.messages;
    return sum;
}

void send_to_next() {
    int out = rank, in = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % ranks, 0, &in, 1, MPI_INT, (rank + ranks - 1) % ranks, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void sessions_do_not_disturb_each_other() {
    nereus_monitor_session *whole = nullptr, *phase = nullptr;
    expect(nereus_monitor_open(&whole) == NEREUS_OK, "nereus_monitor_open(&whole) == NEREUS_OK");
    send_to_next();
    expect(nereus_monitor_open(&phase) == NEREUS_OK, "nereus_monitor_open(&phase) == NEREUS_OK");
    send_to_next();
    expect(nereus_monitor_stop(phase) == NEREUS_OK, "nereus_monitor_stop(phase) == NEREUS_OK");
    expect(nereus_monitor_stop(phase) == NEREUS_UNCHANGED, "nereus_monitor_stop(phase) == NEREUS_UNCHANGED");
    send_to_next();
    expect(messages(whole, NEREUS_POINT_TO_POINT) == 3, "messages(whole, NEREUS_POINT_TO_POINT) == 3");
    expect(messages(phase, NEREUS_POINT_TO_POINT) == 1, "messages(phase, NEREUS_POINT_TO_POINT) == 1");
    expect(nereus_monitor_reset(phase) == NEREUS_OK, "nereus_monitor_reset(phase) == NEREUS_OK");
    expect(nereus_monitor_start(phase) == NEREUS_OK, "nereus_monitor_start(phase) == NEREUS_OK");
    expect(nereus_monitor_start(phase) == NEREUS_UNCHANGED, "nereus_monitor_start(phase) == NEREUS_UNCHANGED");
    expect(messages(phase, NEREUS_POINT_TO_POINT) == 0, "messages(phase, NEREUS_POINT_TO_POINT) == 0");
    expect(messages(whole, NEREUS_POINT_TO_POINT) == 3, "messages(whole, NEREUS_POINT_TO_POINT) == 3");
    expect(nereus_monitor_close(&phase) == NEREUS_OK, "nereus_monitor_close(&phase) == NEREUS_OK");
    expect(nereus_monitor_close(&whole) == NEREUS_OK, "nereus_monitor_close(&whole) == NEREUS_OK");
    expect(whole == nullptr, "whole == nullptr");
}

void a_pair_says_who_and_how_much() {
    nereus_monitor_session *session = nullptr;
    expect(nereus_monitor_open(&session) == NEREUS_OK, "nereus_monitor_open(&session) == NEREUS_OK");
    send_to_next();
    double one = 1, sum = 0;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const auto pairs = read(session);
    const auto sent = std::find_if(pairs.begin(), pairs.end(), [](const nereus_monitor_pair &pair) {
        return pair.kind == NEREUS_POINT_TO_POINT && pair.rank == (rank + 1) % ranks;
    });
    expect(sent != pairs.end(), "sent != pairs.end()");
    if (sent != pairs.end()) {
        expect(sent->bytes == sizeof(int) && sent->messages == 1 && sent->world == 0 && sent->generation == 0,
               "sent->bytes == sizeof(int) && sent->messages == 1 && sent->world == 0 && sent->generation == 0");
        expect(sent->histogram[3] == 1, "sent->histogram[3] == 1"); // 4 to 7 bytes
    }
    expect(messages(session, NEREUS_COLLECTIVE) == static_cast<std::uint64_t>(ranks - 1),
           "messages(session, NEREUS_COLLECTIVE) == static_cast<std::uint64_t>(ranks - 1)");
    nereus_monitor_close(&session);
}

void recording_can_be_switched() {
    nereus_monitor_session *session = nullptr;
    expect(nereus_monitor_open(&session) == NEREUS_OK, "nereus_monitor_open(&session) == NEREUS_OK");
    expect(nereus_monitor_record(0) == NEREUS_OK, "nereus_monitor_record(0) == NEREUS_OK");
    expect(nereus_monitor_record(0) == NEREUS_UNCHANGED, "nereus_monitor_record(0) == NEREUS_UNCHANGED");
    send_to_next();
    MPI_Pcontrol(1);
    expect(nereus_monitor_record(1) == NEREUS_UNCHANGED, "nereus_monitor_record(1) == NEREUS_UNCHANGED");
    expect(messages(session, NEREUS_POINT_TO_POINT) == 0, "messages(session, NEREUS_POINT_TO_POINT) == 0");
    nereus_monitor_close(&session);
}

std::uint64_t messages_in_phase(const nereus_monitor_session *session, int phase) {
    std::uint64_t sum = 0;
    for (const nereus_monitor_pair &pair : read(session))
        if (pair.kind == NEREUS_POINT_TO_POINT && pair.phase == phase) sum += pair.messages;
    return sum;
}

void phases_are_told_apart() {
    nereus_monitor_session *session = nullptr;
    expect(nereus_monitor_open(&session) == NEREUS_OK, "open");
    send_to_next();
    for (const char *name : {"solve", "write", "solve"}) {
        expect(nereus_monitor_phase(name) == NEREUS_OK, "nereus_monitor_phase(name) == NEREUS_OK");
        send_to_next();
    }
    expect(nereus_monitor_phase(nullptr) == NEREUS_OK, "nereus_monitor_phase(nullptr) == NEREUS_OK");
    send_to_next();
    expect(messages_in_phase(session, 0) == 2, "2 messages in no phase");
    expect(messages_in_phase(session, 1) == 2, "2 messages in the first phase, which began twice");
    expect(messages_in_phase(session, 2) == 1, "1 message in the second phase");
    for (int phase = 2; phase < 255; ++phase)
        expect(nereus_monitor_phase(std::to_string(phase).c_str()) == NEREUS_OK, "255 phases have room");
    expect(nereus_monitor_phase("one more") == NEREUS_ERR_RANGE, "256 phases have none");
    nereus_monitor_phase("");
    nereus_monitor_close(&session);
}

/// A persistent request belongs to the generation in which it is started.
void generations_are_told_apart() {
    nereus_monitor_session *session = nullptr;
    expect(nereus_monitor_open(&session) == NEREUS_OK, "open");
    MPI_Request requests[2];
    int out = rank, in = 0;
    MPI_Send_init(&out, 1, MPI_INT, (rank + 1) % ranks, 0, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in, 1, MPI_INT, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, &requests[1]);
    for (const int generation : {0, 1, 2}) {
        const int code = nereus_monitor_generation(MPI_COMM_WORLD, "job", generation);
        expect(code == NEREUS_OK, "nereus_monitor_generation() == NEREUS_OK");
        for (int i = 0; i <= generation; ++i) {
            MPI_Startall(2, requests);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    for (MPI_Request &request : requests) MPI_Request_free(&request);
    expect(nereus_monitor_generation(MPI_COMM_WORLD, "job", 2) == NEREUS_UNCHANGED, "it began before");
    for (const nereus_monitor_pair &pair : read(session))
        expect(pair.messages == static_cast<std::uint64_t>(pair.generation) + 1, "messages of each generation");
    expect(read(session).size() == 3, "three generations");
    expect(nereus_monitor_generation(MPI_COMM_NULL, "job", 3) == NEREUS_ERR_ARGUMENT, "no communicator");
    expect(nereus_monitor_generation(MPI_COMM_WORLD, nullptr, 3) == NEREUS_ERR_ARGUMENT, "no job");
    expect(nereus_monitor_generation(MPI_COMM_WORLD, "job", -1) == NEREUS_ERR_ARGUMENT, "no generation");
    nereus_monitor_close(&session);
}

void bad_arguments_are_errors() {
    expect(nereus_monitor_open(nullptr) == NEREUS_ERR_ARGUMENT, "nereus_monitor_open(nullptr) == NEREUS_ERR_ARGUMENT");
    expect(nereus_monitor_start(nullptr) == NEREUS_ERR_ARGUMENT,
           "nereus_monitor_start(nullptr) == NEREUS_ERR_ARGUMENT");
    expect(nereus_monitor_close(nullptr) == NEREUS_ERR_ARGUMENT,
           "nereus_monitor_close(nullptr) == NEREUS_ERR_ARGUMENT");
    nereus_monitor_session *session = nullptr;
    expect(nereus_monitor_close(&session) == NEREUS_OK, "nereus_monitor_close(&session) == NEREUS_OK");
    expect(nereus_monitor_open(&session) == NEREUS_OK, "nereus_monitor_open(&session) == NEREUS_OK");
    int number = -1;
    expect(nereus_monitor_read(session, nullptr, &number) == NEREUS_ERR_ARGUMENT,
           "nereus_monitor_read(session, nullptr, &number) == NEREUS_ERR_ARGUMENT");
    expect(nereus_monitor_read(session, nullptr, nullptr) == NEREUS_ERR_ARGUMENT,
           "nereus_monitor_read(session, nullptr, nullptr) == NEREUS_ERR_ARGUMENT");
    number = 1;
    expect(nereus_monitor_read(session, nullptr, &number) == NEREUS_ERR_ARGUMENT,
           "nereus_monitor_read(session, nullptr, &number) == NEREUS_ERR_ARGUMENT");
    nereus_monitor_close(&session);
}

}

int main(int argc, char **argv) {
    nereus_monitor_session *early = nullptr, *late = nullptr;
    expect(nereus_monitor_open(&early) == NEREUS_ERR_STATE, "nereus_monitor_open(&early) == NEREUS_ERR_STATE");
    expect(early == nullptr, "early == nullptr");
    expect(nereus_monitor_phase("early") == NEREUS_ERR_STATE, "a phase needs a record");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    sessions_do_not_disturb_each_other();
    a_pair_says_who_and_how_much();
    recording_can_be_switched();
    phases_are_told_apart();
    generations_are_told_apart();
    bad_arguments_are_errors();
    expect(nereus_monitor_open(&late) == NEREUS_OK, "nereus_monitor_open(&late) == NEREUS_OK");
    MPI_Finalize();
    int number = 0;
    expect(nereus_monitor_read(late, nullptr, &number) == NEREUS_ERR_STATE,
           "nereus_monitor_read(late, nullptr, &number) == NEREUS_ERR_STATE");
    expect(nereus_monitor_close(&late) == NEREUS_OK, "nereus_monitor_close(&late) == NEREUS_OK");
    return 0;
}
