# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI builds there are, and how programs are started with them.

In:  the folder of installed builds (NEREUS_BUILDS or lib/nereus of the Python environment), and a program.
Out: processes that are known by the random key of their job; at its end nothing of it is left.
Knows nothing of resizes, experiments and results.
"""

from nereus.launch.builds import Build, builds, builds_folder, choose, mpi_independent
from nereus.launch.capacity import RANKS_PER_CORE, cores, memory_bytes, most_ranks
from nereus.launch.command import PROCESS_METHOD, PROTECT_FOLDER, RESTART_FOLDER, Command, Launch, command
from nereus.launch.error import LaunchError
from nereus.launch.hosts import Host, Reach, RemoteShell, Share, host_list, place, read_hosts, short_name
from nereus.launch.linkage import FAMILIES, family_of
from nereus.launch.outcome import Outcome
from nereus.launch.passed_on import PassedOn
from nereus.launch.processes import fostering
from nereus.launch.programs import application_in, find_program, found_program, search_path
from nereus.launch.save_signals import SaveSignals
from nereus.launch.stopping import Stopped, Stopping, left_when_stopped

__all__ = [
    "FAMILIES",
    "PROCESS_METHOD",
    "PROTECT_FOLDER",
    "RANKS_PER_CORE",
    "RESTART_FOLDER",
    "Build",
    "Command",
    "Host",
    "Launch",
    "LaunchError",
    "Outcome",
    "PassedOn",
    "Reach",
    "RemoteShell",
    "SaveSignals",
    "Share",
    "Stopped",
    "Stopping",
    "application_in",
    "builds",
    "builds_folder",
    "choose",
    "command",
    "cores",
    "family_of",
    "find_program",
    "fostering",
    "found_program",
    "host_list",
    "left_when_stopped",
    "memory_bytes",
    "most_ranks",
    "mpi_independent",
    "place",
    "read_hosts",
    "search_path",
    "short_name",
]
