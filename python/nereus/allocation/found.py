# SPDX-License-Identifier: BSD-3-Clause
"""Which resource manager a command has its hosts from."""

from nereus.allocation.contract import ResourceManager
from nereus.allocation.flux import flux
from nereus.allocation.prrte import prrte
from nereus.allocation.slurm import slurm
from nereus.allocation.static import static_hosts
from nereus.launch.hosts import Reach, RemoteShell, read_hosts

# Each looks whether we run in a job of its own. A Flux instance, and a DVM, may run in a job of Slurm: the
# hosts are those of the instance then, but Slurm's beside a DVM, since Slurm has more of them.
_MANAGERS = (flux, slurm, prrte)


def resource_manager(hosts: str, rsh: str | None) -> ResourceManager:
    """By the words of a command line: what a user says counts; else that of the job that we run in."""
    shell = RemoteShell(rsh) if rsh else None
    if hosts or rsh:
        return static_hosts(Reach(read_hosts(hosts), shell))
    found = (manager() for manager in _MANAGERS)
    return next((manager for manager in found if manager is not None), static_hosts(Reach()))
