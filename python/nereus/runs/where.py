# SPDX-License-Identifier: BSD-3-Clause
"""Where the processes of a job go, and what they are started with."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from nereus.bench import usual_costs
from nereus.launch import Build, Host, Launch, host_list, place, read_hosts
from nereus.methods import Placement, ReleaseUnit
from nereus.probe import Joining
from nereus.supervisor import Supervision

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
    hosts: tuple[Host, ...] = ()
    rsh: str | None = None
    spread: bool = False
    oversubscribe: bool = False
    #: Whether resizes are to place ranks by what these sent each other.
    measured: bool = False

    @staticmethod
    def read(
        warn: Warn, hosts: str, rsh: str | None, placements: Collection[Placement], oversubscribe: bool
    ) -> "Where":
        """From the command line. `placements`: that of the founders, and of resizes."""
        spread = next(iter(placements)) == "spread"
        return Where(warn, read_hosts(hosts), rsh, spread, oversubscribe, "measured" in placements)

    @property
    def slots(self) -> int:
        """Slots of all hosts; 0 without a list."""
        return sum(host.slots for host in self.hosts)

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
        founders = place(self.hosts, ranks, self.spread, self.oversubscribe)
        own = {"NEREUS_HOSTS": host_list(self.hosts)} if self.hosts else {}
        # Where groups cannot join, nothing is known in favour of other transports than the MPI's own choice.
        transports = join.environment if join.works else {}
        environment = {**self._costs(build), **transports, **own, **settings}
        launch = Launch(
            build,
            program,
            arguments,
            self.hosts,
            self.rsh,
            environment,
            recorded=True,
            measured=self.measured,
        )
        return Supervision(launch, founders, join.works)

    def _costs(self, build: Build) -> dict[str, str]:
        """By what the job chooses how its data is carried, unless the user decided about that."""
        stored = usual_costs(build, self.hosts)
        if stored is None:
            return {}
        if stored.costs is None:
            self.warn([stored.complaint] if stored.complaint else [])
            return {}
        return {"NEREUS_COSTS": str(stored.path)}
