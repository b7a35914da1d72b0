// SPDX-License-Identifier: BSD-3-Clause
// Loaded by `nereus` into its own process: connections to libzmq's sockets are refused while few descriptors are free.
//
// libzmq ends the process when accept4() on a local socket fails because no descriptor is free. So its calls of
// accept() and accept4() come here instead: where less than a reserve would be left, the new connection is closed at
// once and libzmq is told that it was aborted, which is nothing to it. Who is connected stays.
#define _GNU_SOURCE
#include "relocations.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { longest_ending = 32 };
static const rlim_t most_reserved = 1024;

static atomic_ulong refused_for_descriptors, refused_unauthenticated;
static atomic_long room_on_network;
static atomic_bool network_is_limited;
// Sockets whose names end so are refused later than others.
static char ending_of_control_sockets[longest_ending];
// Given up for a moment where no descriptor is free, so that a connection can be taken in and closed.
static pthread_mutex_t of_spare = PTHREAD_MUTEX_INITIALIZER;
static int spare = -1;

static bool is_control_socket(const struct sockaddr_un *name) {
    const size_t length = strnlen(name->sun_path, sizeof name->sun_path), ending = strlen(ending_of_control_sockets);
    return ending > 0 && length >= ending &&
           memcmp(name->sun_path + length - ending, ending_of_control_sockets, ending) == 0;
}

// The number from which on descriptors are kept free. Half of them are, but no more than a number; connections to
// control sockets may take a quarter of these.
static rlim_t begin_of_reserve(const struct sockaddr_un *name) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return RLIM_INFINITY;
    const rlim_t half = limit.rlim_cur / 2, reserve = half < most_reserved ? half : most_reserved;
    return limit.rlim_cur - (name->sun_family == AF_UNIX && is_control_socket(name) ? reserve * 3 / 4 : reserve);
}

static int refuse(int connection, atomic_ulong *counter) {
    if (connection >= 0) {
        close(connection);
        atomic_fetch_add(counter, 1);
    }
    errno = ECONNABORTED;
    return -1;
}

static int refuse_with_spare(int listener) {
    pthread_mutex_lock(&of_spare);
    if (spare >= 0) close(spare);
    const int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    refuse(connection, &refused_for_descriptors);
    spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    pthread_mutex_unlock(&of_spare);
    errno = ECONNABORTED;
    return -1;
}

static bool has_room_for_unauthenticated(void) {
    return !network_is_limited || atomic_fetch_sub(&room_on_network, 1) > 0;
}

// What libzmq is told of a connection that was made, or was not: -1.
static int admitted(int listener, int connection) {
    if (connection < 0) return errno == EMFILE || errno == ENFILE ? refuse_with_spare(listener) : connection;
    // The system gives away the lowest number that is free: all below it are in use.
    struct sockaddr_un name = {.sun_family = AF_UNSPEC};
    socklen_t size = sizeof name;
    getsockname(listener, (struct sockaddr *)&name, &size);
    if ((rlim_t)connection >= begin_of_reserve(&name)) return refuse(connection, &refused_for_descriptors);
    if (name.sun_family != AF_UNIX && !has_room_for_unauthenticated())
        return refuse(connection, &refused_unauthenticated);
    return connection;
}

static int guarded_accept4(int listener, struct sockaddr *address, socklen_t *size, int flags) {
    return admitted(listener, accept4(listener, address, size, flags));
}

static int guarded_accept(int listener, struct sockaddr *address, socklen_t *size) {
    return admitted(listener, accept(listener, address, size));
}

// `function`: one of libzmq's. Whether its connections are guarded from now on; before it has a thread of its own.
EXPORTED bool nereus_guard_descriptors(const void *function, const char *ending) {
    strncpy(ending_of_control_sockets, ending, longest_ending - 1);
    if (spare < 0) spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
    const uintptr_t inside = (uintptr_t)function;
    const int changed = redirect_calls(inside, "accept4", (uintptr_t)guarded_accept4) +
                        redirect_calls(inside, "accept", (uintptr_t)guarded_accept);
    return changed > 0;
}

// From the network so many may come from now on; less than 0: any number.
EXPORTED void nereus_limit_network(long connections) {
    atomic_store(&room_on_network, connections);
    atomic_store(&network_is_limited, connections >= 0);
}

// How many were refused until now: for too few descriptors, or because too many had not authenticated themselves.
EXPORTED unsigned long nereus_refused_for_descriptors(void) { return refused_for_descriptors; }

EXPORTED unsigned long nereus_refused_unauthenticated(void) { return refused_unauthenticated; }
