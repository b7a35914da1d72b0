// SPDX-License-Identifier: BSD-3-Clause
// Which messages arrived, and when: told to the trace while there is one. calls.toml says under `messages` which call
// tells what, and under `prepare` and `restore` what is to be done before the call and behind it, whether it succeeded
// or not.
//
// A receive has a number, from 1 in the order in which receives were posted: messages that two processes send each
// other with one tag on one communicator arrive in the order of these numbers (MPI 4.0, 3.5: they do not overtake).
//
// While a call may end requests, they are in its hands alone: as soon as MPI has freed one, another thread may get a
// new one of the same name.
#pragma once

#include "pmpi/traced.hpp"

#include <cstdint>
#include <mpi.h>

namespace nereus::pmpi {

/// What a call is to write the status to where the program does not want it.
MPI_Status *own_status(MPI_Status *status);
MPI_Status *own_statuses(int number, MPI_Status *statuses);

/// Before a blocking receive, and behind it.
void receiving();
void received(MPI_Comm comm, const MPI_Status &status);
/// Behind calls that begin a receive.
void posted(MPI_Comm comm, MPI_Request request);

/// Behind a matched probe that found something; before the receive of what it found, and behind it.
void matched(MPI_Comm comm, MPI_Message message);
void taking(MPI_Message message);
void received_taken(const MPI_Status &status);
void posted_taken(MPI_Request request);

/// Before calls that end requests or start persistent ones.
void take_requests(int number, const MPI_Request *requests);
/// Behind calls that end requests: those of them that ended, with their statuses.
void completed_one(int index, const MPI_Status &status);
void completed_all(const MPI_Status *statuses);
void completed_some(int number, const int *indices, const MPI_Status *statuses);
/// Behind calls that started requests, whose handles may be others now.
void requests_started(const MPI_Request *requests);
/// Behind all of these, with what the call made of the handles: what did not end goes on.
void put_back_requests(const MPI_Request *requests);

/// Persistent requests: made, and before they are freed.
void send_made(MPI_Comm comm, int to, int tag, std::uint64_t bytes, MPI_Request request);
void receive_made(MPI_Comm comm, MPI_Request request);
void request_freed(MPI_Request request);

/// Tells the record of it now, not when it is first used.
void communicator_made(MPI_Comm comm);
/// Of one that may not be asked for anything yet: it has its place among those that are made.
void communicator_begun(MPI_Comm comm);

/// Behind the trace.
void forget_messages();

}
