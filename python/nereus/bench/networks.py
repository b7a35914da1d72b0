# SPDX-License-Identifier: BSD-3-Clause
"""Over which network the processes of a bench talk: this host's memory, TCP alone, or links of a set rate.

All are on this machine. Where processes talk as those of `nereus run` do, jobs have a supervisor as well,
which starts newcomers; else these are spawned.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from nereus.bench.local_hosts import LocalHosts, Wanted, hosts_for
from nereus.launch.builds import Build
from nereus.launch.command import Command, Launch
from nereus.launch.hosts import Host, Reach, RemoteShell, Share, host_list, place
from nereus.probe.joining import joining
from nereus.supervisor.supervision import Supervision

SHM, TCP, LIMITED = "shm", "tcp", "limited"
NETWORKS = (SHM, TCP, LIMITED)
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
    #: Whether the supervisor can start processes that join; None: jobs have none.
    joins: bool | None = None

    def start(
        self, build: Build, program: Path, arguments: tuple[str, ...], ranks: int
    ) -> Command | Supervision:
        """How a job of `ranks` founders is started."""
        launch = Launch(build, program, arguments, environment=self.environment.get(build.kind, {}))
        if self.joins is None:
            return self.command(launch, ranks)
        return Supervision(launch, [Share("", ranks)], self.joins)

    def command(self, launch: Launch, ranks: int) -> Command:
        """How processes are started alone; with hosts from the first one, as many ranks on each."""
        if self.hosts is None:
            return launch.command([Share("", ranks)])
        return _on_hosts(self.hosts, launch, ranks)


def _on_hosts(limited: LocalHosts, here: Launch, ranks: int) -> Command:
    each = -(-ranks // len(limited.names))
    hosts = tuple(Host(name, each) for name in limited.names)
    settings = {"NEREUS_HOSTS": host_list(hosts), "NEREUS_OVERSUBSCRIBE": "on"}
    launch = replace(
        here,
        reach=Reach(hosts, RemoteShell(str(limited.rsh))),
        environment={**here.environment, **settings},
    )
    start = launch.command(place(hosts, ranks, spread=False, oversubscribe=False))
    return Command(limited.command_on(limited.names[0], start.arguments), start.environment)


@contextmanager
def network(name: str, gigabits: float) -> Iterator[Network]:
    """Make what there is to make for it; all is gone at the end of the block. Jobs have no supervisor."""
    if name == LIMITED:
        with hosts_for(f"--network = {LIMITED}", Wanted("nrb", "ab", gigabits)) as hosts:
            yield Network(name, BETWEEN_HOSTS, hosts)
    else:
        yield Network(name, TCP_ONLY if name == TCP else {})


@contextmanager
def network_of_jobs(
    name: str, gigabits: float, build: Build, stopped: Callable[[], bool]
) -> Iterator[Network]:
    """The same for jobs that are resized.

    Where processes talk as the MPI chooses, first find out how jobs of `build` can be joined.
    """
    if name == SHM:
        joins = joining(build, stopped=stopped)
        yield Network(name, {build.kind: joins.environment}, joins=joins.works)
    else:
        with network(name, gigabits) as made:
            yield made
