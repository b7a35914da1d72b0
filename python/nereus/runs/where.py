# SPDX-License-Identifier: BSD-3-Clause
"""Where the processes of a job go, and what they are started with."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from nereus.allocation import (
    Inquire,
    ResourceManager,
    keeping_hosts,
    resource_manager,
    silent_hosts,
    static_hosts,
    with_heartbeats,
)
from nereus.bench import usual_costs
from nereus.launch import Build, Host, Launch, Reach, host_list, place
from nereus.launch.hosts import is_here
from nereus.methods import Placement, ReleaseUnit
from nereus.probe import Joining
from nereus.supervisor import Supervision

#: Of jobs that are recovered: three heartbeats.
USUAL_HEARTBEAT_TIMEOUT = 3.0
#: Is told what is doubtful, in texts of one line each.
Warn = Callable[[list[str]], None]


def founding(ranks: int, unit: ReleaseUnit) -> tuple[int, dict[str, str]]:
    """How many founders to start for a job of `ranks`, and the settings that go with them.

    Only what was started apart can leave alone: for the unit rank one founder makes the others.
    """
    if unit == "rank":
        return 1, {"NEREUS_START_RANKS": str(ranks), "NEREUS_RELEASE_UNIT": "rank"}
    return ranks, {}


@dataclass(frozen=True)
class Where:
    """Hosts of a job, how they are reached, and how processes are placed on them."""

    #: Is told what is doubtful when a job is started.
    warn: Warn
    manager: ResourceManager = field(default_factory=lambda: static_hosts(Reach()))
    spread: bool = False
    oversubscribe: bool = False
    #: Whether resizes are to place ranks by what these sent each other.
    measured: bool = False
    #: Seconds without a heartbeat after which hosts of the user's list are lost; 0: they send none.
    heartbeat_timeout: float = 0.0
    #: How many founders each host has at least, by its name.
    least: Mapping[str, int] = field(default_factory=dict)

    @staticmethod
    def read(
        warn: Warn,
        hosts: str,
        rsh: str | None,
        placements: Collection[Placement],
        oversubscribe: bool,
        growing: Build | None = None,
    ) -> "Where":
        """From the command line; hosts that are not given, from the resource manager around us.

        `placements`: that of the founders, and of resizes; `growing`: the MPI of a job that may get more
        hosts, where its resource manager has some.
        """
        spread = next(iter(placements)) == "spread"
        manager = resource_manager(hosts, rsh)
        if growing is None:
            manager = keeping_hosts(manager, "the job runs on the hosts that it began with")
        elif growing.family == "openmpi":
            # mpiexec starts processes on hosts that it was told of, and parties join on one host only.
            manager = keeping_hosts(
                manager, f"{growing.name}: Open MPI keeps a job to the hosts of its start"
            )
        return Where(warn, manager, spread, oversubscribe, "measured" in placements)

    @property
    def reach(self) -> Reach:
        """The hosts, and how processes get there."""
        return self.manager.reach

    @property
    def hosts(self) -> tuple[Host, ...]:
        """Those that there are now; none: this one."""
        return self.reach.hosts

    @property
    def slots(self) -> int:
        """Slots of all hosts; 0 without a list."""
        return sum(host.slots for host in self.hosts)

    @property
    def can_be_shared(self) -> bool:
        """Whether a daemon can share out these hosts among several jobs."""
        return self.manager.shared is not None

    def part(self, first: Sequence[str], inquire: Inquire) -> "Where":
        """For a job that begins on these hosts, and gets others from the daemon that is asked."""
        assert self.manager.shared is not None
        return replace(self, manager=self.manager.shared(first, inquire))

    def without_silent_hosts(self, known: Collection[str] = ()) -> tuple["Where", Sequence[str]]:
        """Without hosts of the user's list that do not answer, and which these are.

        `known`: some of them, which are not asked any more. A resource manager knows by itself which hosts
        there are.
        """
        if self.manager.job:
            return self, []
        far = [host.name for host in self.hosts if not is_here(host.name) and host.name not in known]
        lost = [*known, *(silent_hosts(far, self.reach.remote_shell) if far else [])]
        kept = replace(self.reach, hosts=tuple(host for host in self.hosts if host.name not in lost))
        return (replace(self, manager=static_hosts(kept)) if lost else self), lost

    def with_least(self, counts: Mapping[str, int]) -> "Where":
        """Each host has so many founders at least, or as many as it has slots."""
        most = {host.name: counts.get(host.name, 0) for host in self.hosts}
        if not self.oversubscribe:
            most = {host.name: min(most[host.name], host.slots) for host in self.hosts}
        return replace(self, least=most)

    def check_slots(self, ranks: int) -> None:
        """Refuse more processes than the hosts have slots for, unless that was allowed."""
        place(self.hosts, ranks, self.spread, self.oversubscribe)

    def supervision(
        self,
        build: Build,
        program: Path,
        arguments: tuple[str, ...],
        ranks: int,
        join: Joining,
        settings: Mapping[str, str],
    ) -> Supervision:
        """A job of `ranks` founders; refused where the hosts have too few slots."""
        founders = place(self.hosts, ranks, self.spread, self.oversubscribe, self.least)
        own = {"NEREUS_HOSTS": host_list(self.hosts)} if self.hosts else {}
        # Where groups cannot join, nothing is known in favour of other transports than the MPI's own choice.
        transports = join.environment if join.works else {}
        environment = {**self._costs(build), **transports, **own, **settings}
        launch = Launch(
            build,
            program,
            arguments,
            self.reach,
            environment,
            recorded=True,
            measured=self.measured,
        )
        return Supervision(launch, founders, join.works, self._watched_manager())

    @property
    def can_have_heartbeats(self) -> bool:
        """Whether there are hosts of the user's list beside this one."""
        return self.reach.far and not self.manager.job

    def _watched_manager(self) -> ResourceManager:
        if self.heartbeat_timeout == 0 or not self.can_have_heartbeats:
            return self.manager
        return with_heartbeats(self.manager, self.heartbeat_timeout)

    def _costs(self, build: Build) -> dict[str, str]:
        """By what the job chooses how its data is carried, unless the user decided about that."""
        stored = usual_costs(build, self.hosts)
        if stored is None:
            return {}
        if stored.costs is None:
            self.warn([stored.complaint] if stored.complaint else [])
            return {}
        return {"NEREUS_COSTS": str(stored.path)}
