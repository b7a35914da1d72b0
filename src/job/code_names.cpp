// SPDX-License-Identifier: BSD-3-Clause
// What the library says of itself: its version, and the names of its codes.
#include <nereus/nereus.h>

extern "C" {

const char *nereus_version(void) { return NEREUS_VERSION; }

const char *nereus_code_name(int code) {
    switch (code) {
    case NEREUS_OK:
        return "NEREUS_OK";
    case NEREUS_RESIZED:
        return "NEREUS_RESIZED";
    case NEREUS_LEAVE:
        return "NEREUS_LEAVE";
    case NEREUS_WOKEN:
        return "NEREUS_WOKEN";
    case NEREUS_UNCHANGED:
        return "NEREUS_UNCHANGED";
    case NEREUS_PENDING:
        return "NEREUS_PENDING";
    case NEREUS_REDUCED:
        return "NEREUS_REDUCED";
    case NEREUS_NO_TURN:
        return "NEREUS_NO_TURN";
    case NEREUS_ERR_ARGUMENT:
        return "NEREUS_ERR_ARGUMENT";
    case NEREUS_ERR_ROOT:
        return "NEREUS_ERR_ROOT";
    case NEREUS_ERR_RANGE:
        return "NEREUS_ERR_RANGE";
    case NEREUS_ERR_NAME:
        return "NEREUS_ERR_NAME";
    case NEREUS_ERR_MISMATCH:
        return "NEREUS_ERR_MISMATCH";
    case NEREUS_ERR_MEMORY:
        return "NEREUS_ERR_MEMORY";
    case NEREUS_ERR_PROCESS:
        return "NEREUS_ERR_PROCESS";
    case NEREUS_ERR_TIMEOUT:
        return "NEREUS_ERR_TIMEOUT";
    case NEREUS_ERR_TRANSFER:
        return "NEREUS_ERR_TRANSFER";
    case NEREUS_ERR_UNSUPPORTED:
        return "NEREUS_ERR_UNSUPPORTED";
    case NEREUS_ERR_SETTING:
        return "NEREUS_ERR_SETTING";
    case NEREUS_ERR_MPI:
        return "NEREUS_ERR_MPI";
    case NEREUS_ERR_STATE:
        return "NEREUS_ERR_STATE";
    default:
        return "unknown code";
    }
}
}
