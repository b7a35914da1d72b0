# SPDX-License-Identifier: BSD-3-Clause
"""What an adapted job is asked for, by its control socket, the daemon, or a signal; and who hears the end."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nereus.adapters.daemon_client import RANGE, UNSUPPORTED, DaemonClient, State
from nereus.adapters.start import Start
from nereus.launch import LaunchError
from nereus.methods import RESTART
from nereus.supervisor import NameClaim, messages
from nereus.supervisor.frames import OK, PENDING, RESIZED, UNCHANGED
from nereus.supervisor.identity import Identity
from nereus.supervisor.network_control_socket import NetworkControlSocket
from nereus.supervisor.request_server import RequestServer
from nereus.supervisor.sockets import Sockets

_HOSTS = "the job keeps the hosts that it began with: its program saves its own data"
_SAVES = "the program ends when it saves: `nereus save --stop` has it do both"


@dataclass(frozen=True)
class Request:
    """For so many ranks, or to save and to end."""

    ranks: int
    stops: bool = False
    #: Where it came from: a number that the request server knows, a command of the daemon; neither: a signal.
    number: int = 0
    command: int = 0

    @property
    def is_signal(self) -> bool:
        return self.number == self.command == 0


@dataclass(frozen=True)
class Resized:
    """How a resize went: seconds from the request to save on, and those after the program had ended."""

    before: int
    ranks: int
    pause: float
    process: float


class Requests:
    """Use it until its `end`; its sockets are the caller's."""

    def __init__(
        self, sockets: Sockets, start: Start, claim: NameClaim, ranks: int, say: Callable[[str], None]
    ) -> None:
        self._sockets, self._start, self._ranks = sockets, start, ranks
        self._generation, self._iteration = -1, 0
        self._base: int | None = None  # the first number of iterations that the program told after its start
        self._hosts = start.hosts(ranks)
        self._queue: deque[Request] = deque()
        self._last = 0
        about = {
            "command": [str(start.program), *start.arguments],
            "mpi": start.build.name,
            "most": start.most,
        }
        counts = start.adapter.progress is not None
        self._daemon = DaemonClient(sockets, claim.key, about, self._state, counts)
        supervision = start.supervision(ranks)
        identity = Identity(claim.key, claim.name, claim.continues)
        network = None
        if supervision.is_asked_from_elsewhere:
            try:
                network = NetworkControlSocket(sockets, identity, supervision)
            except LaunchError as problem:
                say(f"it can be asked from this host only: {problem}")
        self._server = RequestServer(
            *(sockets, identity, supervision.launch, ranks),
            *(self._asked_to_resize, self._asked_for_hosts, self._asked_to_save, network),
        )

    def turn(self, resizing: bool) -> None:
        """Take what was asked; never waits."""
        self._server.turn(resizing)
        self._daemon.turn()
        self._sockets.look()

    def next(self) -> Request | None:
        """What to begin with now: its end is to be told."""
        while self._queue:
            request = self._queue.popleft()
            if request.stops or request.ranks != self._ranks:
                return request
            self._settle(request, UNCHANGED, f"the job has {self._ranks} ranks already", None)
        while (command := self._daemon.begin_next()) is not None:
            if command.ranks != self._ranks:
                return Request(command.ranks, command=command.number)
            self._daemon.done(0.0, command.number)
        return None

    def runs(self, ranks: int) -> None:
        """The program was started on so many ranks. Each start counts as an iteration: so nobody takes what
        comes later for older, whatever the program tells.
        """
        self._ranks, self._base = ranks, None
        self._generation += 1
        self._iteration += self._generation > 0
        hosts = list(self._start.hosts(ranks))
        self._server.root_is_there(
            messages.Root(kind="root", generation=self._generation, ranks=ranks, hosts=hosts)
        )

    def progress(self, iteration: int, seconds: float) -> None:
        """It is so far, `seconds` after it told that last."""
        before, self._base = self._base, iteration
        self._iteration = max(self._iteration, iteration)
        if before is not None and iteration > before and seconds > 0:
            self._daemon.sample(self._ranks, iteration - before, seconds)

    def resized(self, request: Request, how: Resized) -> None:
        """It is done."""
        self._hosts = self._start.hosts(how.ranks)
        made = {"process_method": RESTART, "process_strategies": []}
        took = {"pause_seconds": how.pause, "process_seconds": how.process}
        self._settle(request, RESIZED, "", {"from": how.before, "to": how.ranks, **made, **took})
        self._daemon.done(how.pause, request.command)

    def saved(self, request: Request, size: int, seconds: float) -> None:
        """The program has saved so many bytes, and ended."""
        self._tell_of_save(request, OK, "", size, seconds)

    def failed(self, request: Request, code: int, message: str) -> None:
        """It was not done."""
        if request.stops:
            self._tell_of_save(request, code, message)
        else:
            self._settle(request, code, message, None)
        if request.command:
            self._daemon.refused(request.command, code, message)

    def end(self) -> None:
        """The job is over: nobody is answered any more but by that."""
        self._server.close_job()
        self._server.close()
        self._daemon.close()

    def _state(self) -> State:
        return State(self._hosts, max(0, self._generation), self._iteration)

    def _settle(self, request: Request, code: int, message: str, report: dict[str, Any] | None) -> None:
        number = request.number
        settled = messages.Settled(kind="settled", request=number, code=code, message=message, report=report)
        self._server.settled(settled)

    def _tell_of_save(
        self, request: Request, code: int, message: str, size: int = 0, seconds: float = 0.0
    ) -> None:
        saved = messages.Saved(
            kind="saved",
            request=request.number,
            code=code,
            message=message,
            epoch=0,  # it is the program's own
            iteration=self._iteration,
            bytes=size,
            seconds=seconds,
            stops=code == OK,
            in_memory=False,
        )
        self._server.saved(saved)

    def _asked_to_resize(self, ticket: int, ranks: int, options: dict[str, str]) -> None:
        if options:
            allowed = "none: it is resized by a restart"
            return self._answer(ticket, UNSUPPORTED, f"{next(iter(options))}: options allowed are {allowed}")
        if ranks > self._start.most:
            return self._answer(ticket, RANGE, f"{ranks} ranks: 1 to {self._start.most} are allowed")
        return self._take(ticket, Request(ranks, number=self._number()))

    def _asked_to_save(self, ticket: int, stops: bool) -> None:
        if stops:
            self._take(ticket, Request(0, stops=True, number=self._number()))
        else:
            self._server.refuse(ticket, _SAVES, never=True)

    def _asked_for_hosts(self, ticket: int, asked: messages.AskHosts) -> None:
        self._server.refuse(ticket, _HOSTS, never=True)

    def _number(self) -> int:
        self._last += 1
        return self._last

    def _take(self, ticket: int, request: Request) -> None:
        self._queue.append(request)
        self._answer(ticket, PENDING, "the program will be asked to save", request.number)

    def _answer(self, ticket: int, code: int, message: str, request: int = 0) -> None:
        self._server.answered(
            messages.Answer(kind="answer", ticket=ticket, code=code, message=message, request=request)
        )
