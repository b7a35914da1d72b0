/* SPDX-License-Identifier: BSD-3-Clause */
/* Never compiles: CALL is one that HEADER declares as unavailable. */
#include HEADER

int main(void) {
    CALL;
    return 0;
}
