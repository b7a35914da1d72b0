# SPDX-License-Identifier: BSD-3-Clause
"""A job's ranks and hosts as the daemon commands them: so many ranks, on so many hosts beyond the first ones.

In:  such commands.
Out: requests for hosts, for leaving some, or for another size alone, as `nereus resize` makes them.
"""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from nereus.launch.hosts import short_name
from nereus.supervisor import messages
from nereus.supervisor.frames import RESIZED
from nereus.supervisor.host_changes import HostChanges

#: A growth is given up when nothing was granted in so long: another job may get the cores then.
PATIENCE = 60.0

#: Hears what came of a command: its number, a code, a message, and the ranks that the job has by it.
Ended = Callable[[int, int, str, int], None]
Told = Callable[[int, str, dict[str, Any] | None], None]


class Server(Protocol):
    """Of a request server, who asks it without a control socket."""

    @property
    def hosts_of_ranks(self) -> list[str]: ...

    @property
    def is_open(self) -> bool: ...

    def ask(self, asked: messages.AskResize | messages.AskHosts, told: Told) -> int: ...


@dataclass(frozen=True)
class _Command:
    number: int
    ranks: int
    more_hosts: int
    ended: Ended


class CommandedHosts:
    def __init__(self, changes: HostChanges, server: Callable[[], Server]) -> None:
        self._changes, self._server = changes, server
        first = changes.granted
        self._first = {host.name for host in first}
        #: Slots that each further host has at least.
        self.host_slots = min((host.slots for host in first), default=0)
        self._tickets: dict[int, int] = {}  # of commands that have begun and are not over
        self._waiting: deque[_Command] = deque()
        self._last: _Command | None = None  # that ended, and after which hosts have not been looked at

    @property
    def is_open(self) -> bool:
        """Whether there is a job that can be resized."""
        return self._server().is_open

    @property
    def first_slots(self) -> int:
        """Slots of the hosts that it began with and still has."""
        return sum(host.slots for host in self._changes.granted if host.name in self._first)

    @property
    def more(self) -> int:
        """Hosts beyond these, also those that are just coming or going."""
        return sum(host.name not in self._first for host in self._changes.granted)

    def become(self, ranks: int, more_hosts: int, command: int, ended: Ended) -> None:
        """Begin, once it is known which hosts the job has; what comes of it is told once."""
        self._waiting.append(_Command(command, ranks, more_hosts, ended))
        self.turn()

    def turn(self) -> None:
        """Begin what may begin now."""
        self._leave_what_came_after_all()
        while self._waiting and not self._must_wait(self._waiting[0]):
            self._begin(self._waiting.popleft())

    def cancel(self, number: int) -> bool:
        """Give up hosts that have not come; whether the command has begun and is not over, so that its end
        will be told.
        """
        if number not in self._tickets:
            return False
        self._changes.cancel(self._tickets[number])
        return True

    def drop(self, number: int) -> bool:
        """Do not begin with it; whether it had not begun."""
        before = len(self._waiting)
        self._waiting = deque(command for command in self._waiting if command.number != number)
        return len(self._waiting) < before

    def _leave_what_came_after_all(self) -> None:
        """The job may have taken a growth while its being taken back was on its way."""
        last = self._last
        if last is None or self._waiting or self._tickets or self._changes.asked_of_job is not None:
            return
        self._last = None
        further = self._further
        surplus = max(0, len(further) - last.more_hosts)
        left = to_leave(further, surplus, last.ranks, self._server().hosts_of_ranks)
        if left:
            asked = messages.AskHosts(kind="hosts", change="release", names=left, ranks=last.ranks)
            self._server().ask(asked, lambda code, text, report: None)

    def _must_wait(self, command: _Command) -> bool:
        """The daemon may know of the latest resize before we do: the job's root tells both. Hosts that came
        by it would be asked for once more, and those that left by it released once more. A growth that the
        job has not taken yet is taken back at once.
        """
        asked = self._changes.asked_of_job
        if asked is None:
            return False
        takes_back = asked.change == "grow" and asked.ranks is not None and command.ranks < asked.ranks
        return not takes_back or self._changes.job_has_taken_it or command.more_hosts > len(self._further)

    def _begin(self, command: _Command) -> None:
        number = command.number

        def told(code: int, message: str, report: dict[str, Any] | None) -> None:
            self._tickets.pop(number, None)
            self._last = command
            command.ended(number, code, message, int((report or {}).get("to", 0)) if code == RESIZED else 0)

        self._tickets[number] = 0
        ticket = self._server().ask(self._request(command.ranks, command.more_hosts), told)
        if number in self._tickets:
            self._tickets[number] = ticket

    @property
    def _further(self) -> list[str]:
        """Hosts of the job's list beyond the first ones."""
        return [host.name for host in self._changes.listed if host.name not in self._first]

    def _request(self, ranks: int, more_hosts: int) -> messages.AskResize | messages.AskHosts:
        further = self._further
        missing = more_hosts - len(further)
        if missing > 0:
            return messages.AskHosts(
                kind="hosts", change="grow", count=missing, ranks=ranks, patience=PATIENCE
            )
        left = to_leave(further, -missing, ranks, self._server().hosts_of_ranks)
        if left:
            return messages.AskHosts(kind="hosts", change="release", names=left, ranks=ranks)
        return messages.AskResize(kind="resize", ranks=ranks)


def to_leave(further: Sequence[str], most: int, ranks: int, hosts_of_ranks: Sequence[str]) -> list[str]:
    """The latest of the further hosts, `most` at most; so many that `ranks` have a place on the others: none
    is made where hosts are left.
    """
    there = Counter(map(short_name, hosts_of_ranks))
    staying = there.total()
    left: list[str] = []
    for name in reversed(further[len(further) - most :]):
        staying -= there[short_name(name)]
        if staying < min(ranks, len(hosts_of_ranks)):
            break
        left.insert(0, name)
    return left
