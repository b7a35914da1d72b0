# SPDX-License-Identifier: BSD-3-Clause
"""What a mapping costs: as src/plan/mapping/problem.hpp has it, for mappings that launchers make of ours."""

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from nereus.placement.topology import Topology


def cost_of(topology: Topology, traffic: csr_array, mapping: Sequence[int]) -> float:
    """The sum over all pairs of ranks of what they send times the costs of the links between their slots."""
    slots = np.asarray(mapping, dtype=np.int64)
    entries = traffic.tocoo()
    one, other = slots[entries.coords[0]], slots[entries.coords[1]]
    distances = np.zeros(entries.nnz)
    for nodes, cost in zip(topology.nodes_of_slots(), topology.costs, strict=True):
        distances += 2 * cost * (nodes[one] != nodes[other])
    return float(np.dot(entries.data, distances))
