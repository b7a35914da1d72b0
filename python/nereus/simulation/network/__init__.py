# SPDX-License-Identifier: BSD-3-Clause
"""Redistributions and placements on simulated clusters of any size, by SimGrid's SMPI.

In:  a cluster, and who moves what; or a traffic matrix or a pattern of messages.
Out: simulated times, beside what the network takes at least, or by mappings of ranks to slots.
The program nereus-smpi simulates: redistributions are made by the code that moves real data.
"""

from nereus.simulation.network.cluster import (
    MOST_RANKS,
    PACKED,
    PLACEMENTS,
    Cluster,
    rate_text,
    read_bytes,
    read_latency,
    read_rate,
    read_seconds,
)
from nereus.simulation.network.error import SmpiError, Stopped
from nereus.simulation.network.patterns import (
    PATTERNS,
    Pattern,
    matrix_of,
    of_matrix,
    reduce_heap,
    reduce_tree,
    stencil,
)
from nereus.simulation.network.placing import Compared, Placing, compared, placed
from nereus.simulation.network.program import Limits, require
from nereus.simulation.network.redistribution import (
    METHODS,
    USUAL_METHODS,
    Case,
    Simulated,
    cases_of,
    check_size,
    paper_pairs,
    redistributed,
    redistributions,
    spawn_seconds_in,
)

__all__ = [
    "METHODS",
    "MOST_RANKS",
    "PACKED",
    "PATTERNS",
    "PLACEMENTS",
    "USUAL_METHODS",
    "Case",
    "Cluster",
    "Compared",
    "Limits",
    "Pattern",
    "Placing",
    "Simulated",
    "SmpiError",
    "Stopped",
    "cases_of",
    "check_size",
    "compared",
    "matrix_of",
    "of_matrix",
    "paper_pairs",
    "placed",
    "rate_text",
    "read_bytes",
    "read_latency",
    "read_rate",
    "read_seconds",
    "redistributed",
    "redistributions",
    "reduce_heap",
    "reduce_tree",
    "require",
    "spawn_seconds_in",
    "stencil",
]
