# SPDX-License-Identifier: BSD-3-Clause
"""What the daemon knows: its jobs, what is decided about them, and where that is kept.

The executor changes it; the protocol reads messages into it, and queries, status and metrics read from it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from nereus.coordinator.budget import Budget
from nereus.coordinator.coordination import Coordinator
from nereus.coordinator.effects import Effect
from nereus.coordinator.pilot import PilotResources
from nereus.coordinator.pool import HostPool
from nereus.coordinator.site import SiteResources
from nereus.daemon.events import Events
from nereus.daemon.metrics import Figures
from nereus.daemon.policy_guard import PolicyGuard
from nereus.daemon.reservations import Reservations
from nereus.daemon.sessions import Session
from nereus.daemon.store import Store
from nereus.launch.energy import PackageEnergy
from nereus.policy.foreign import PolicyError
from nereus.policy.loading import load
from nereus.policy.parameters import FIXED, ParameterError, Parameters, with_values
from nereus.policy.policies import BY_NAME


@dataclass(frozen=True)
class HostLimits:
    """Hosts that jobs may have beyond their own: so many at one time, and for so long in all."""

    hosts: int
    host_seconds: float = inf


@dataclass(frozen=True)
class Pilot:
    """Jobs share out the hosts of one job of a resource manager, the one that the daemon runs in."""

    #: What the resource manager calls it.
    job: str
    #: Slots of each host.
    hosts: Mapping[str, int]


@dataclass(frozen=True)
class Chosen:
    """What the daemon was started with."""

    policy: str  # its name
    cores: Mapping[str, int]
    parameters: Parameters
    limits: HostLimits | None = None  # where jobs have allocations of their own
    pilot: Pilot | None = None


class DaemonState:
    def __init__(
        self,
        chosen: Chosen,
        guard: PolicyGuard,
        store: Store,
        events: Events,
        last: tuple[int, int],
        quiet_until: float = -inf,
    ) -> None:
        """`last`: the last epoch and the last command number of before; `quiet_until`: when all jobs of
        before have said which hosts they have.
        """
        self.chosen = chosen
        self._guard = guard
        self.sessions: dict[str, Session] = {}
        limits = chosen.limits
        self.budget = Budget(limits.hosts, limits.host_seconds) if limits is not None else None
        self.pool = HostPool(chosen.pilot.hosts, quiet_until) if chosen.pilot is not None else None
        self.coordinator = Coordinator(guard, self._cores(), chosen.parameters, *last)
        self.reservations = Reservations(self.coordinator, store)
        self.journal = store
        self.energy = PackageEnergy()
        self.energy_used = self.energy.look()
        self.events = events
        self.figures = Figures()

    def look_at_energy(self) -> None:
        """Often enough that no counter goes round unseen."""
        self.energy_used = self.energy.look()
        self.coordinator.watts = self.energy.watts

    def change(self, policy: str | None, parameters: Sequence[str], now: float) -> list[Effect]:
        """Until the daemon ends; UserError where a name or value is not allowed, and nothing is changed."""
        before = self.chosen
        values = with_values(before.parameters, parameters)
        fixed = [name for name in FIXED if getattr(values, name) != getattr(before.parameters, name)]
        if fixed:
            raise ParameterError(f"{fixed[0]}: cannot be changed while the daemon runs: jobs were told of it")
        if policy is not None:
            if policy not in BY_NAME:
                raise PolicyError(f"policy {policy}: while the daemon runs, allowed are {', '.join(BY_NAME)}")
            self._guard.change(load(policy))
        self.chosen = replace(before, policy=policy or before.policy, parameters=values)
        return self.coordinator.change(values, now)

    @property
    def gives_hosts(self) -> bool:
        """Whether jobs get hosts by its decisions, through their supervisors; else cores alone."""
        return self.budget is not None or self.pool is not None

    def _cores(self) -> Mapping[str, int] | SiteResources:
        if self.pool is not None:
            return PilotResources(self.pool)
        return SiteResources(self.budget) if self.budget is not None else self.chosen.cores
