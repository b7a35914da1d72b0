// SPDX-License-Identifier: BSD-3-Clause
#include "record/space.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/resource.h>

namespace nereus::monitor {

bool had_from_system(int descriptor, std::size_t at, std::size_t bytes) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && at + bytes > limit.rlim_cur) {
        errno = EFBIG;
        return false;
    }
    int error = EINTR;
    while (error == EINTR) error = ::posix_fallocate(descriptor, static_cast<off_t>(at), static_cast<off_t>(bytes));
    errno = error;
    return error == 0;
}

}
