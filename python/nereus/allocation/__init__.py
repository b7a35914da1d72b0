# SPDX-License-Identifier: BSD-3-Clause
"""The hosts that a job has from a resource manager: which there are, more of them, and giving them back.

In:  the environment that a resource manager gives a job; requests for hosts, and for their release.
Out: hosts with slots, each tried before it is called usable; as events, what the resource manager does by
     itself.
"""

from nereus.allocation.contract import (
    Allocation,
    AllocationError,
    Event,
    EventKind,
    Growth,
    GrowthState,
    Inquire,
    Inspection,
    NotGranted,
    ResourceManager,
    Wish,
)
from nereus.allocation.found import resource_manager
from nereus.allocation.static import keeping_hosts, static_hosts, with_heartbeats
from nereus.allocation.trial import check_working_folder, silent_hosts

__all__ = [
    "Allocation",
    "AllocationError",
    "Event",
    "EventKind",
    "Growth",
    "GrowthState",
    "Inquire",
    "Inspection",
    "NotGranted",
    "ResourceManager",
    "Wish",
    "check_working_folder",
    "keeping_hosts",
    "resource_manager",
    "silent_hosts",
    "static_hosts",
    "with_heartbeats",
]
