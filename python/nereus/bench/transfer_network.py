# SPDX-License-Identifier: BSD-3-Clause
"""Over which network the processes of a bench talk: this host's memory, TCP alone, or links of a set rate.

All are on this machine. A job is started without a supervisor: its newcomers are woken or spawned.
"""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nereus.bench.local_hosts import LocalHosts
from nereus.bench.transfer_hosts import limited_hosts
from nereus.launch.builds import Build
from nereus.launch.command import Command, Launch
from nereus.launch.hosts import Host, Share, host_list, place

NETWORKS = ("shm", "tcp", "limited")
# MPICH's processes of one host take shared memory whatever the netmod does, unless they are told that they
# are not of one host.
TCP_ONLY: Mapping[str, Mapping[str, str]] = {
    "mpich": {"MPIR_CVAR_NOLOCAL": "1", "UCX_TLS": "tcp,self"},
    # Open MPI takes the loopback for a network only when it is told to.
    "openmpi": {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo"},
}
# Between hosts; within a host the MPI chooses. As for jobs that others join over several hosts.
BETWEEN_HOSTS: Mapping[str, Mapping[str, str]] = {
    "mpich": {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp"},
    "openmpi": {"OMPI_MCA_pml": "ob1"},
}


@dataclass(frozen=True)
class Network:
    """How jobs are started so that they talk over this network."""

    name: str
    environment: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    hosts: LocalHosts | None = None

    def command(self, build: Build, program: Path, arguments: tuple[str, ...], ranks: int) -> Command:
        """How a job of `ranks` founders is started."""
        environment = self.environment.get(build.kind, {})
        if self.hosts is None:
            return Launch(build, program, arguments, environment=environment).command([Share("", ranks)])
        return _on_hosts(self.hosts, Launch(build, program, arguments, environment=environment), ranks)


def _on_hosts(limited: LocalHosts, here: Launch, ranks: int) -> Command:
    """The same launch, started on the first host, with as many ranks on each host."""
    each = -(-ranks // len(limited.names))
    hosts = tuple(Host(name, each) for name in limited.names)
    settings = {"NEREUS_HOSTS": host_list(hosts), "NEREUS_OVERSUBSCRIBE": "on"}
    environment = {**here.environment, **settings}
    launch = Launch(here.build, here.program, here.arguments, hosts, str(limited.rsh), environment)
    start = launch.command(place(hosts, ranks, spread=False, oversubscribe=False))
    words = [str(limited.enter), limited.names[0], f"exec {shlex.join(start.arguments)}"]
    return Command(words, start.environment)


@contextmanager
def network(name: str, gigabits: float) -> Iterator[Network]:
    """Make what there is to make for it; all is gone at the end of the block."""
    if name != "limited":
        yield Network(name, TCP_ONLY if name == "tcp" else {})
        return
    with limited_hosts(gigabits) as hosts:
        yield Network(name, BETWEEN_HOSTS, hosts)
