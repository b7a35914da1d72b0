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
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Host, Share, host_list, place, read_hosts
from nereus.launch.job import Job, Supervision
from nereus.launch.outcome import Outcome
from nereus.launch.processes import fostering
from nereus.launch.stopping import Stopping

__all__ = [
    "FEATURES",
    "RANKS_PER_CORE",
    "Build",
    "Capabilities",
    "Command",
    "Feature",
    "Host",
    "Job",
    "Launch",
    "LaunchError",
    "Outcome",
    "Share",
    "Stopping",
    "Supervision",
    "builds",
    "builds_folder",
    "choose",
    "command",
    "cores",
    "fostering",
    "host_list",
    "memory_bytes",
    "most_ranks",
    "place",
    "probe",
    "read_hosts",
]
