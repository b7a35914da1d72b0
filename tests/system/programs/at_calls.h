// SPDX-License-Identifier: BSD-3-Clause
// What is preloaded to act at the entry of MPI calls: AT(...) wraps a function, and stop_if_asked() is the wrapper's
// own.
#pragma once
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

static inline int is_first_to_make(const char *path) {
    const int file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

/// Both names of a function, each of which calls MPI's own.
#define AT(name, parameters, arguments)                                                                                \
    int P##name parameters {                                                                                           \
        int(*next) parameters = NULL;                                                                                  \
        *(void **)&next = dlsym(RTLD_NEXT, "P" #name);                                                                 \
        stop_if_asked(#name);                                                                                          \
        return next arguments;                                                                                         \
    }                                                                                                                  \
    int name parameters { return P##name arguments; }
