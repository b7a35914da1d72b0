# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI builds there are, what they can do, how a job is started, watched and ended.

In:  the folder of installed builds (NEREUS_BUILDS or lib/nereus of the Python environment), and a program.
Out: a running job whose processes and files are known by its random name; at its end nothing of it is left.
Knows nothing of experiments and results.
"""

from nereus.launch.builds import Build, builds, builds_folder, choose
from nereus.launch.capabilities import FEATURES, Capabilities, Feature, probe
from nereus.launch.capacity import RANKS_PER_CORE, cores, memory_bytes, most_ranks
from nereus.launch.command import Command, Launch, command
from nereus.launch.costs import Costs, StoredCosts, stored_costs, usual_costs
from nereus.launch.door import check as check_door
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Host, Share, host_list, place, read_hosts
from nereus.launch.job import Job, Supervision, new_name
from nereus.launch.joining import Joining, joining
from nereus.launch.linkage import FAMILIES, family_of
from nereus.launch.messages import CODES, OK, OPTIONS, PENDING, REDUCED, RESIZED, UNCHANGED
from nereus.launch.outcome import Outcome
from nereus.launch.processes import fostering
from nereus.launch.programs import find_program, search_path
from nereus.launch.stopping import Stopped, Stopping, left_when_stopped
from nereus.launch.visits import NoAnswer, ask, doors, find, status

__all__ = [
    "CODES",
    "FAMILIES",
    "FEATURES",
    "OK",
    "OPTIONS",
    "PENDING",
    "RANKS_PER_CORE",
    "REDUCED",
    "RESIZED",
    "UNCHANGED",
    "Build",
    "Capabilities",
    "Command",
    "Costs",
    "Feature",
    "Host",
    "Job",
    "Joining",
    "Launch",
    "LaunchError",
    "NoAnswer",
    "Outcome",
    "Share",
    "Stopped",
    "Stopping",
    "StoredCosts",
    "Supervision",
    "ask",
    "builds",
    "builds_folder",
    "check_door",
    "choose",
    "command",
    "cores",
    "doors",
    "family_of",
    "find",
    "find_program",
    "fostering",
    "host_list",
    "joining",
    "left_when_stopped",
    "memory_bytes",
    "most_ranks",
    "new_name",
    "place",
    "probe",
    "read_hosts",
    "search_path",
    "status",
    "stored_costs",
    "usual_costs",
]
