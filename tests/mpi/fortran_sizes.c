/* SPDX-License-Identifier: BSD-3-Clause */
/* Sizes and places of the structures of nereus.h, for fortran_test.f90. */
#include <nereus/nereus.h>

/* Negative: the place of the last field. */
size_t size_in_c(int structure);

size_t size_in_c(int structure) {
    switch (structure) {
    case 1:
        return sizeof(nereus_distribution);
    case -1:
        return offsetof(nereus_distribution, grid_columns);
    case 2:
        return sizeof(nereus_resize_options);
    case -2:
        return offsetof(nereus_resize_options, hosts);
    case 3:
        return sizeof(nereus_resize_report);
    case -3:
        return offsetof(nereus_resize_report, reason);
    default:
        return 0;
    }
}
