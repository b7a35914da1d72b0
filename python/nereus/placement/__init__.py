# SPDX-License-Identifier: BSD-3-Clause
"""Where the ranks of a job go, by what they send each other and how far apart the slots are.

In:  what ranks send each other (records of the monitor, matrices), a topology (hwloc, hosts and switches).
Out: a slot for each rank, what that costs beside other ways to place, and files by which launchers do it.
The mapping itself is computed by the program nereus-place.
"""

from typing import TYPE_CHECKING

from nereus import names_from

if TYPE_CHECKING:
    from nereus.placement.asking import Asked, Placed, place_ranks, renumbering
    from nereus.placement.cost import cost_of
    from nereus.placement.error import PlaceError
    from nereus.placement.outputs import FORMATS, Written, written
    from nereus.placement.selection import Selection
    from nereus.placement.topologies import read_topology
    from nereus.placement.topology import Topology
    from nereus.placement.traffic import read_traffic
else:
    __getattr__ = names_from(
        __name__,
        {
            "asking": ["Asked", "Placed", "place_ranks", "renumbering"],
            "cost": ["cost_of"],
            "error": ["PlaceError"],
            "outputs": ["FORMATS", "Written", "written"],
            "selection": ["Selection"],
            "topologies": ["read_topology"],
            "topology": ["Topology"],
            "traffic": ["read_traffic"],
        },
    )

__all__ = [
    "FORMATS",
    "Asked",
    "PlaceError",
    "Placed",
    "Selection",
    "Topology",
    "Written",
    "cost_of",
    "place_ranks",
    "read_topology",
    "read_traffic",
    "renumbering",
    "written",
]
