// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into tests: stands before the kernel's mremap as libraries do that watch memory.
//
// The variable NEREUS_TEST_MREMAP says how. drops: mremap() loses the address that was asked for and returns NULL, as
// Intel MPI's does. fails: no way to the kernel moves pages. lies: no page moves, and the answer says that it did.
// lies_of_many: the same of more than one page at a time, so that a trial with one page finds nothing wrong.
// elsewhere: pages move, but not to where they should.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef long (*system_call)(long number, ...);

static system_call kernel(void) {
    static system_call found;
    if (found == NULL) *(void **)&found = dlsym(RTLD_NEXT, "syscall");
    return found;
}

static int is(const char *kind) {
    const char *const wanted = getenv("NEREUS_TEST_MREMAP");
    return wanted != NULL && strcmp(wanted, kind) == 0;
}

void *mremap(void *from, size_t old_bytes, size_t new_bytes, int flags, ...) {
    if (!is("drops")) {
        va_list more;
        va_start(more, flags);
        void *const to = va_arg(more, void *);
        va_end(more);
        return (void *)syscall(SYS_mremap, from, old_bytes, new_bytes, (long)flags, to);
    }
    kernel()(SYS_mremap, from, old_bytes, new_bytes, (long)flags, NULL);
    return NULL;
}

long syscall(long number, ...) {
    long word[6];
    va_list more;
    va_start(more, number);
    for (int i = 0; i < 6; ++i) word[i] = va_arg(more, long);
    va_end(more);
    if (number == SYS_mremap && is("fails")) {
        errno = ENOMEM;
        return -1;
    }
    if (number == SYS_mremap && is("lies")) return word[4];
    if (number == SYS_mremap && is("lies_of_many") && word[1] > sysconf(_SC_PAGESIZE)) return word[4];
    if (number == SYS_mremap && is("elsewhere"))
        return kernel()(number, word[0], word[1], word[2], word[3] & ~(long)MREMAP_FIXED, 0L);
    return kernel()(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}
