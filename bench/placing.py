# SPDX-License-Identifier: BSD-3-Clause
"""What mappings of shuffled stencils cost by each way to make them, with the time and memory that it takes.

python bench/placing.py [CASE...]
"""

import resource
import sys
import time

import numpy as np
from scipy.sparse import coo_array, csr_array

from nereus.placement import Asked, place_ranks, read_topology

_BYTES = 1000.0  # between neighbours, in each direction
_CASES: dict[str, tuple[tuple[int, ...], str]] = {
    "64": ((8, 8), "host:8 core:8"),
    "160": ((16, 10), "host:8 core:20"),
    "160-packages": ((16, 10), "host:8 package:2 core:10"),
    "160-cube": ((8, 5, 4), "host:8 core:20"),
    "1024": ((32, 32), "switch:8 host:4 core:32"),
    "65536": ((32, 32, 64), "switch:16 host:32 package:2 core:64"),
    "65536-square": ((256, 256), "switch:16 host:32 package:2 core:64"),
}
_WAYS = ("packed", "round_robin", "random", "treematch", "scotch")


def stencil(sides: tuple[int, ...]) -> csr_array:
    """Each with its neighbours along the axes; ranks in an order that has nothing to do with it."""
    ranks = np.random.default_rng(7).permutation(int(np.prod(sides))).reshape(sides)
    one, other = [], []
    for axis, side in enumerate(sides):
        one.append(np.take(ranks, range(side - 1), axis).ravel())
        other.append(np.take(ranks, range(1, side), axis).ravel())
    ends = (np.concatenate([*one, *other]), np.concatenate([*other, *one]))
    return csr_array(coo_array((np.full(len(ends[0]), _BYTES), ends), shape=(ranks.size, ranks.size)))


def line(name: str) -> str:
    """Costs over that of packed, but for packed itself."""
    sides, topology = _CASES[name]
    asked = Asked(stencil(sides), read_topology(topology))
    began = time.monotonic()
    placed = place_ranks(asked)
    seconds = time.monotonic() - began
    packed = placed.costs["packed"] or 1.0
    costs = [placed.costs[way] for way in _WAYS]
    shares = ["-" if cost is None else f"{cost / packed:.4f}" for cost in costs[1:]]
    # Of the largest child so far: cases come with rising numbers of ranks.
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    cells = [name, topology, f"{packed:.6g}", *shares, f"{placed.cost / packed:.4f}", placed.origin]
    return "\t".join([*cells, f"{placed.seconds:.2f}", f"{seconds:.2f}", f"{memory:.0f}"])


def main() -> None:
    heads = ["case", "topology", "packed", *_WAYS[1:], "chosen", "from", "seconds", "with files", "MiB"]
    print("\t".join(heads))
    for name in sys.argv[1:] or _CASES:
        print(line(name), flush=True)


if __name__ == "__main__":
    main()
