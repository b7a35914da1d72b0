# SPDX-License-Identifier: BSD-3-Clause
"""Allocations with what is around them: all that tests of the contract know of a resource manager.

For another adapter: a class that derives from Stand, and its name in STANDS.
"""

import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from a_flux import fake_flux
from a_slurm import fake_slurm, until

from nereus.allocation import Allocation, Event, Growth, GrowthState, static_hosts
from nereus.allocation.flux import flux_job
from nereus.allocation.flux import reach_of as reach_of_flux
from nereus.allocation.flux.allocation import FluxAllocation
from nereus.allocation.slurm import slurm_job
from nereus.allocation.slurm.allocation import SlurmAllocation
from nereus.allocation.slurm.environment import GROWTH
from nereus.allocation.slurm.first_job import reach_of
from nereus.allocation.slurm.pilot import PilotAllocation
from nereus.allocation.slurm.share import Share
from nereus.coordinator.pool import HostPool, NeverGranted, Said
from nereus.launch.hosts import Host, Reach

#: Where each stand begins; n3 to n5 can be had where there is a resource manager.
FIRST = ("n1", "n2")
MORE = ("n3", "n4", "n5")
# A turn that has not come back in this time waits for somebody.
_TURN_WITHIN = 30
# How long a closed allocation waits for commands that answer: not long, but for a machine that is slow.
_PATIENT = 60.0
_PATIENCES = (
    "nereus.allocation.slurm.allocation._ENDS_WITHIN",
    "nereus.allocation.slurm.allocation._LETS_GO_WITHIN",
    "nereus.allocation.slurm.pilot._ENDS_WITHIN",
    "nereus.allocation.flux.allocation._ENDS_WITHIN",
)


class Clock:
    """As the real one, but for what a test puts it ahead."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return time.monotonic() + self.ahead


class Stand(ABC):
    """One allocation, with `FIRST` as its hosts, and the resource manager, which the test commands."""

    allocation: Allocation

    def __init__(self) -> None:
        self.clock = Clock()
        #: What every turn told.
        self.events: list[Event] = []

    @abstractmethod
    def idle(self) -> list[str]:
        """Hosts that nobody has, as far as the resource manager knows."""

    @abstractmethod
    def left(self) -> list[str]:
        """All that there is at the resource manager by our doing, beside the first hosts."""

    @abstractmethod
    def waits_in_queue(self) -> bool:
        """Whether the resource manager has a request of ours that it has not granted."""

    @abstractmethod
    def occupy(self) -> None:
        """Somebody else takes all idle hosts."""

    @abstractmethod
    def leave(self) -> None:
        """He gives them back."""

    @abstractmethod
    def stop_starting(self, name: str) -> None:
        """A host that can be had, but on which no process starts."""

    @abstractmethod
    def hang(self) -> None:
        """The resource manager does not answer any more."""

    @abstractmethod
    def mend(self) -> None:
        """It answers again."""

    @abstractmethod
    def take_away(self) -> None:
        """It ends whatever we got by growing."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(host.name for host in self.allocation.hosts)

    def turn(self) -> None:
        """One turn, which may not wait."""
        before = signal.signal(signal.SIGALRM, _waits)
        signal.alarm(_TURN_WITHIN)
        try:
            self.events += self.allocation.turn()
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)

    def turn_until(self, state: GrowthState, growth: Growth) -> list[GrowthState]:
        """The states of the growth, each once, in the order in which it had them."""
        states = [growth.state]

        def reached() -> bool:
            self.turn()
            if growth.state is not states[-1]:
                states.append(growth.state)
            return growth.state is state or growth.state.is_final

        until(reached, f"{state}: {growth.state}, {growth.reason}")
        assert growth.state is state, growth.reason
        return states

    def turn_until_told(self) -> Event:
        """The only event so far."""

        def told() -> bool:
            self.turn()
            return bool(self.events)

        until(told, "an event")
        [event] = self.events
        return event

    def turn_until_idle(self, *names: str) -> None:
        def reached() -> bool:
            self.turn()
            return set(names) <= set(self.idle())

        until(reached, f"{names} are idle")

    def turn_until_nothing_is_left(self) -> None:
        def reached() -> bool:
            self.turn()
            return not self.left()

        until(reached, "nothing is left")


class StaticStand(Stand):
    """Nobody is asked."""

    def __init__(self, folder: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        reach = Reach(tuple(Host(name, 2) for name in FIRST))
        self.allocation = static_hosts(reach).open("0123456789abcdef", folder)

    def idle(self) -> list[str]:
        return list(MORE)

    def left(self) -> list[str]:
        return []

    def waits_in_queue(self) -> bool:
        return False

    def occupy(self) -> None: ...

    def leave(self) -> None: ...

    def stop_starting(self, name: str) -> None: ...

    def hang(self) -> None: ...

    def mend(self) -> None: ...

    def take_away(self) -> None: ...


class SlurmStand(Stand):
    #: By which a job gets more hosts.
    growth = "second-job"

    def __init__(self, folder: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.slurm = opened.enter_context(fake_slurm(folder, monkeypatch, **dict.fromkeys(FIRST + MORE, 2)))
        self.folder = folder / "job"
        self.folder.mkdir()
        self.first = self.slurm.first_job(*FIRST)
        self.allocation = self.open(self.first)

    def open(self, environment: dict[str, str]) -> SlurmAllocation:
        job = slurm_job(environment | {GROWTH: self.growth})
        assert job is not None
        return SlurmAllocation(job, reach_of(job), "nereus-0123456789abcdef", self.folder, self.clock)

    def idle(self) -> list[str]:
        return self.slurm.idle()

    def left(self) -> list[str]:
        jobs = [f"{job['name']} {job['state']} {job['nodes']}" for job in self.slurm.jobs()]
        return jobs + [str(pid) for pid in self.slurm.salloc_processes()]

    def waits_in_queue(self) -> bool:
        return bool(self.slurm.jobs("PENDING"))

    def occupy(self) -> None:
        self.slurm.occupy()

    def leave(self) -> None:
        self.slurm.leave()

    def stop_starting(self, name: str) -> None:
        self.slurm.stop_starting(name)

    def hang(self) -> None:
        self.slurm.hang()

    def mend(self) -> None:
        self.slurm.mend()

    def take_away(self) -> None:
        self.slurm.cancel()


class ExpandingStand(SlurmStand):
    """The hosts that come become those of the first job."""

    growth = "expand"

    def left(self) -> list[str]:
        more = [name for name in self.slurm.nodes_of_first() if name not in FIRST]
        return super().left() + more

    def take_away(self) -> None:
        """Nobody can, but with the whole job; a node that breaks is lost."""
        self.slurm.mark_down(*(name for name in self.slurm.nodes_of_first() if name not in FIRST))
        self.clock.ahead += 60.0


class FluxStand(Stand):
    def __init__(self, folder: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.flux = opened.enter_context(fake_flux(folder, monkeypatch, **dict.fromkeys(FIRST + MORE, 2)))
        self.folder = folder / "job"
        self.folder.mkdir()
        self.allocation = self.open(self.flux.first_job(*FIRST))

    def open(self, environment: dict[str, str]) -> FluxAllocation:
        job = flux_job(environment)
        assert job is not None
        return FluxAllocation(job, reach_of_flux(job), "nereus-0123456789abcdef", self.folder, self.clock)

    def idle(self) -> list[str]:
        return self.flux.idle()

    def left(self) -> list[str]:
        jobs = [f"{job['name']} {job['state']} {job['nodes']}" for job in self.flux.jobs()]
        return jobs + [str(pid) for pid in self.flux.holders()]

    def waits_in_queue(self) -> bool:
        return bool(self.flux.jobs("PENDING"))

    def occupy(self) -> None:
        self.flux.occupy()

    def leave(self) -> None:
        self.flux.leave()

    def stop_starting(self, name: str) -> None:
        self.flux.stop_starting(name)

    def hang(self) -> None:
        self.flux.hang()

    def mend(self) -> None:
        self.flux.mend()

    def take_away(self) -> None:
        self.flux.cancel()


class FakeDaemon:
    """Shares out hosts as the real one does: to the job of the tested allocation, and to somebody else."""

    def __init__(self, pool: HostPool) -> None:
        self.pool = pool
        self.hangs = False
        self.waits = False
        self.asked: list[dict[str, Any]] = []

    def inquire(self, question: Mapping[str, Any]) -> "_FakeInquiry":
        self.asked.append(dict(question))
        return _FakeInquiry(self, question)

    def answer(self, question: Mapping[str, Any]) -> dict[str, Any]:
        about = {key: value for key, value in question.items() if key not in ("kind", "job")}
        said, never = Said(**about), ""
        try:
            names = self.pool.says(question["job"], said, time.monotonic())
        except NeverGranted as problem:
            names, never = self.pool.names_of(question["job"]), str(problem)
        self.waits = not never and len(names) < len(said.names) + said.wished
        return {"kind": "hosts", "names": names, "never": never, "why": "none are free"}


class _FakeInquiry:
    def __init__(self, daemon: FakeDaemon, question: Mapping[str, Any]) -> None:
        self._daemon, self._question = daemon, question
        self._answer: dict[str, Any] | None = None

    def answer(self) -> dict[str, Any] | None:
        if self._answer is None and not self._daemon.hangs:
            self._answer = self._daemon.answer(self._question)
        return self._answer

    def close(self) -> None: ...


class PilotStand(Stand):
    """A daemon shares out the hosts of one job in Slurm."""

    key = "0123456789abcdef"

    def __init__(self, folder: Path, opened: ExitStack, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        names = FIRST + MORE
        self.slurm = opened.enter_context(fake_slurm(folder, monkeypatch, **dict.fromkeys(names, 2)))
        environment = self.slurm.first_job(*names)
        monkeypatch.setenv("SLURM_JOB_ID", environment["SLURM_JOB_ID"])
        job = slurm_job(environment)
        assert job is not None
        self.folder = folder / "job"
        self.folder.mkdir()
        self.daemon = FakeDaemon(HostPool(dict.fromkeys(names, 2)))
        first = self.daemon.pool.take(self.key, len(FIRST))
        self.share = Share(self.daemon.inquire, self.key, first, self.clock)
        self.allocation = PilotAllocation(job, reach_of(job), first, self.share, self.folder, now=self.clock)

    def idle(self) -> list[str]:
        return [name for name in self.daemon.pool.free if name in MORE]

    def left(self) -> list[str]:
        return [name for name in self.daemon.pool.names_of(self.key) if name in MORE]

    def waits_in_queue(self) -> bool:
        return self.daemon.waits

    def occupy(self) -> None:
        self.daemon.pool.says("other", Said(self.daemon.pool.free, 0), time.monotonic())

    def leave(self) -> None:
        self.daemon.pool.says("other", Said([], 0), time.monotonic())

    def stop_starting(self, name: str) -> None:
        self.slurm.stop_starting(name)

    def hang(self) -> None:
        self.slurm.hang()
        self.daemon.hangs = True

    def mend(self) -> None:
        self.slurm.mend()
        self.daemon.hangs = False

    def take_away(self) -> None:
        """Their nodes break."""
        self.slurm.mark_down(*self.left())
        self.clock.ahead += 60.0


_Kind = type[StaticStand] | type[SlurmStand] | type[FluxStand] | type[PilotStand]
STANDS: dict[str, _Kind] = {
    "static": StaticStand,
    "slurm": SlurmStand,
    "slurm-expand": ExpandingStand,
    "flux": FluxStand,
    "pilot": PilotStand,
}
#: Those with a resource manager that has more hosts.
GROWING = ("slurm", "slurm-expand", "flux", "pilot")


@contextmanager
def stand_of(kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stand]:
    """Its allocation is closed at the end, by the test or here, and nothing is left."""
    for name in _PATIENCES:
        monkeypatch.setattr(name, _PATIENT)
    with ExitStack() as opened:
        stand = STANDS[kind](folder, opened, monkeypatch)
        closed = False

        def close() -> None:
            nonlocal closed
            if not closed:
                closed = True
                usual()

        usual = stand.allocation.close
        monkeypatch.setattr(stand.allocation, "close", close)
        try:
            yield stand
        finally:
            stand.mend()
            close()
        assert stand.left() == []


def _waits(number: int, frame: object) -> None:
    raise AssertionError(f"turn() waits: it has not come back in {_TURN_WITHIN} s")
