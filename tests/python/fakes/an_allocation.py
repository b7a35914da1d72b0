# SPDX-License-Identifier: BSD-3-Clause
"""An allocation, a job and its request server, of which a test says what each of them does and when."""

import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import cast

from nereus.allocation import Allocation, AllocationError, Event, EventKind, Growth, GrowthState, Wish
from nereus.launch.groups import Group, Groups
from nereus.launch.hosts import Host
from nereus.launch.outcome import Outcome
from nereus.supervisor.frames import RESIZED
from nereus.supervisor.host_changes import HostChanges
from nereus.supervisor.messages import Answer, AskHosts, Settled
from nereus.supervisor.request_server import RequestServer

SLOTS = 2
ROLLED_BACK = -7


class FakeAllocation(Allocation):
    """Hosts n0, n1 and so on, each new unless the test says otherwise; the first one stays."""

    environment: Mapping[str, str] = MappingProxyType({})

    def __init__(self, count: int) -> None:
        self._names = 0
        #: Of a host that comes again; "": of one that has never been there.
        self.next_name = ""
        self._hosts = [self._new() for _ in range(count)]
        self.growing: list[Growth] = []
        self.released: list[str] = []
        self.unclean: list[str] = []
        self.refuses = ""
        self._events: list[Event] = []
        self._grown: list[Growth] = []

    def _new(self) -> Host:
        name, self.next_name = self.next_name, ""
        if not name:
            name = f"n{self._names}"
            self._names += 1
        return Host(name, SLOTS)

    @property
    def hosts(self) -> tuple[Host, ...]:
        return tuple(self._hosts)

    def grow(self, wish: Wish) -> Growth:
        if self.refuses:
            raise AllocationError(self.refuses)
        growth = Growth(wish)
        self.growing.append(growth)
        return growth

    def cancel(self, growth: Growth) -> None:
        self.fail(growth, "it was cancelled")

    def check_release(self, names: Sequence[str]) -> None:
        known = [host.name for host in self._hosts]
        wrong = [name for name in names if name not in known[1:]]
        if wrong:
            raise AllocationError(f"{wrong[0]} cannot be given back")

    def release(self, names: Sequence[str], clean: bool = False) -> None:
        self.check_release(names)
        self.released += names
        self.unclean += [] if clean else names
        self._hosts = [host for host in self._hosts if host.name not in names]

    def turn(self) -> list[Event]:
        """Only now there are hosts that the test has granted."""
        for growth in self._grown:
            self._hosts += growth.hosts
            growth.to(GrowthState.USABLE)
        self._grown.clear()
        events, self._events = self._events, []
        return events

    def close(self) -> None: ...

    def grant(self, growth: Growth) -> None:
        self._forget(growth)
        growth.hosts = tuple(self._new() for _ in range(growth.wish.count))
        self._grown.append(growth)

    def fail(self, growth: Growth, reason: str, never: bool = False) -> None:
        self._forget(growth)
        growth.never = never
        growth.to(GrowthState.FAILED, reason)

    def _forget(self, growth: Growth) -> None:
        """This one, not one that is equal."""
        self.growing = [other for other in self.growing if other is not growth]

    def tell(self, kind: EventKind, *names: str) -> None:
        """A host that is lost is not among the hosts any more."""
        if kind is EventKind.HOST_LOST:
            self._hosts = [host for host in self._hosts if host.name not in names]
        self._events.append(Event(kind, "Slurm says so", names))


class FakeServer:
    """The clients' side of a job: who asked, what the job's root was asked, and what clients were told."""

    def __init__(self) -> None:
        self.hosts_of_ranks: list[str] = []
        self.is_open = True
        self.tickets = 0
        self.clients: set[int] = set()
        self.asked: list[tuple[int, int, dict[str, str]]] = []
        self.refused: list[tuple[int, str, bool]] = []

    def new_ticket(self) -> int:
        self.tickets += 1
        return self.tickets

    def hand_on(self, ticket: int, ranks: int, options: dict[str, str]) -> None:
        self.asked.append((ticket, ranks, options))

    def refuse(self, ticket: int, message: str, never: bool = False) -> bool:
        self.refused.append((ticket, message, never))
        return ticket in self.clients


class World:
    """A job with one process in each slot of its hosts, and its supervisor's changes of hosts."""

    def __init__(self, hosts: int = 1) -> None:
        self.allocation, self.server = FakeAllocation(hosts), FakeServer()
        self.groups = Groups("0123456789abcdef", Path("/nonexistent"), None)
        self.said: list[str] = []
        server = cast(RequestServer, self.server)
        self.changes = HostChanges(self.allocation, self.groups, lambda: server, self.said.append)
        self._requests = 0
        names = [host.name for host in self.allocation.hosts]
        self.start(names[0])  # the founders, who stay
        if names[1:]:
            self.start(*names[1:])
        self.server.hosts_of_ranks = [name for name in names for _ in range(SLOTS)]
        self.changes.follow(self.server.hosts_of_ranks)

    def start(self, *hosts: str) -> Group:
        """A group with processes on these hosts."""
        launcher = cast("subprocess.Popen[bytes]", None)
        group = Group(
            len(self.groups.running), launcher, int(signal.SIGTERM), None, hosts=dict.fromkeys(hosts, SLOTS)
        )
        self.groups.running.append(group)
        return group

    def end(self, group: Group, good: bool = True) -> None:
        group.outcome = Outcome(good, "it has ended")
        self.groups.running.remove(group)
        self.changes.group_ended(group)

    def ask(self, change: str, count: int = 0, *names: str, **more: object) -> int:
        """The ticket of a client's request."""
        words = {"kind": "hosts", "change": change, "count": count, "names": list(names), **more}
        ticket = self.server.new_ticket()
        self.server.clients.add(ticket)
        self.changes.begin(ticket, AskHosts.model_validate(words))
        return ticket

    def grow(self, count: int, **more: object) -> int:
        """A request whose hosts are there: the job has been asked for them, if nothing else is under way."""
        ticket = self.ask("grow", count, **more)
        self.allocation.grant(self.allocation.growing[-1])
        self.changes.turn()
        return ticket

    def answer(self, code: int, request: int | None = None) -> int:
        """What the job's root says to what it was asked last; the number of the request."""
        self._requests += request is None
        number = self._requests if request is None else request
        ticket = self.server.asked[-1][0]
        self.changes.answered(Answer(kind="answer", ticket=ticket, code=code, message="", request=number))
        return number

    def settle(self, request: int, code: int = RESIZED) -> None:
        self.changes.settled(Settled(kind="settled", request=request, code=code, message=""))

    def resized(self, *hosts: str) -> None:
        """The job does what it was asked last, and is on these hosts afterwards."""
        request = self.answer(0)
        self.server.hosts_of_ranks = [name for name in hosts for _ in range(SLOTS)]
        self.changes.follow(self.server.hosts_of_ranks)
        self.settle(request)
        self.changes.turn()

    @property
    def names(self) -> list[str]:
        return [host.name for host in self.allocation.hosts]
