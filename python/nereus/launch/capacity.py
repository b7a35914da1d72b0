# SPDX-License-Identifier: BSD-3-Clause
"""How many ranks this machine may be asked for."""

import os

RANKS_PER_CORE = 32


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0))


def memory_bytes() -> int:
    """Main memory of this machine."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def most_ranks() -> int:
    """Ranks that a launcher is trusted with on this machine: more than this is a slip or needs a flag.

    An oversubscribed job works, but each rank of it holds tens of megabytes and waits actively.
    """
    return RANKS_PER_CORE * cores()
