# SPDX-License-Identifier: BSD-3-Clause
"""How a job's time depends on its ranks."""


def time_factor(ranks: int, asked: int, parallel_fraction: float) -> float:
    """How many times as long as on `asked` ranks it takes (Amdahl): exactly 1 on these."""
    if ranks == asked:
        return 1.0
    return (1 - parallel_fraction) + parallel_fraction * asked / ranks
