# SPDX-License-Identifier: BSD-3-Clause
"""Speaks with a running job and with those who ask for it from outside (docs/formats/link.md).

In:  messages of the job's root and leaders, requests on the control socket, ends of parties.
Out: parties started and ended, words handed on, answers.
Nothing in here waits: `turn` does what there is to do; who calls it waits for `sockets`, launchers and `due`.
"""

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from nereus.allocation import Allocation
from nereus.launch.command import CONTROLLER, PROCESS_METHOD, RESTARTED, Launch
from nereus.launch.error import LaunchError
from nereus.launch.groups import PARTY_VARIABLE, Group, Groups
from nereus.launch.hosts import Share, is_here, is_name
from nereus.launch.outcome import Outcome
from nereus.launch.processes import Process
from nereus.supervisor import messages
from nereus.supervisor.commanded_hosts import CommandedHosts
from nereus.supervisor.daemon_address import daemon_address
from nereus.supervisor.daemon_line import DaemonLine
from nereus.supervisor.frames import RESIZED
from nereus.supervisor.host_changes import HostChanges
from nereus.supervisor.identity import Identity
from nereus.supervisor.link_socket import LinkSocket
from nereus.supervisor.members import Members
from nereus.supervisor.messages import MOST_RANKS, FromJob
from nereus.supervisor.network_control_socket import NetworkControlSocket
from nereus.supervisor.releases import Releases
from nereus.supervisor.request_server import RequestServer
from nereus.supervisor.resize_request import Accept, Party, Request, reason_of_end
from nereus.supervisor.restarts import Restarts, folder_for_restarts
from nereus.supervisor.roles import Roles
from nereus.supervisor.saves import Saves
from nereus.supervisor.site_record import CONTROLLER_KEYS
from nereus.supervisor.sockets import Socket, Sockets
from nereus.supervisor.strays import Strays
from nereus.supervisor.supervision import Supervision

# The setting max-ranks of the job, and what it is where nobody set it.
_MOST_RANKS, _USUALLY_MOST = "NEREUS_MAX_RANKS", 65536


class Supervisor:
    """The supervisor's end of one job's link, and its control socket."""

    def __init__(
        self,
        groups: Groups,
        name: str,
        start: Supervision,
        allocation: Allocation,
        server: Path | None = None,
    ) -> None:
        """Open link and control socket; `server`: where ompi-server is, for parties of Open MPI that join."""
        self._name = name  # by which people know the job
        launch = start.launch
        self._groups, self._launch, self._joins, self._server = groups, launch, start.joins, server
        self._founders, self._allocation = start.ranks, allocation
        self._memory_epochs = start.memory_epochs
        self._releases = Releases(groups, launch, server)
        with ExitStack() as opened:
            self._sockets = opened.enter_context(Sockets())
            self._link = LinkSocket(self._sockets, groups.temporary, launch, groups.job)
            opened.callback(self._link.close)
            identity = Identity(groups.job, name, groups.continues)
            network = self._network_control_socket(start)
            if network is not None:
                opened.callback(network.close)
            method = launch.environment.get(PROCESS_METHOD, "")
            self._host_changes = HostChanges(
                allocation, groups, lambda: self._request_server, self._say, method
            )
            self._request_server = RequestServer(
                *(self._sockets, identity, launch, start.ranks),
                *(self._ask_for_resize, self._host_changes.begin, self._ask_for_save, network),
            )
            first_host = launch.reach.hosts[0].name if launch.reach.hosts else ""
            self._daemon_address = daemon_address(here=is_here(first_host)) if launch.recorded else {}
            self._daemon_line = self._line_to_daemon(launch)
            opened.pop_all()
        #: What the job has saved.
        self.saves = Saves(lambda: self._request_server)
        folder = folder_for_restarts(start, groups.job, groups.temporary)
        #: By which all processes of the job are started anew.
        self.restarts = Restarts(groups, self._start_anew, folder, self._say)
        self._roles = Roles(self._say)
        self._most_ranks = _most_ranks(launch)
        self._root: bytes | None = None  # the latest
        #: Who is part of the job now.
        self.members = Members()
        self._strays, self._told_of_strays = Strays(groups.job), False
        self._requests: dict[int, Request] = {}
        self._to_start: deque[tuple[int, messages.PartyAsked]] = deque()
        self._handlers: dict[type[messages.Message], Callable[[Any, bytes], None]] = {
            messages.Root: self._take_root,
            messages.Members: self._take_members,
            messages.Make: self._take_make,
            messages.Hello: self._take_hello,
            messages.Orders: self._take_orders,
            messages.Connecting: self._take_connecting,
            messages.Connected: self._take_connected,
            messages.Settled: self._take_settled,
            messages.Answer: self._take_answer,
            messages.Saved: self._take_saved,
            messages.Keep: self._take_keep,
            messages.Restart: lambda message, _: self.restarts.follow(message),
            messages.Closing: self._take_closing,
        }

    @property
    def environment(self) -> dict[str, str]:
        """What the founders and every party get."""
        joins = "on" if self._joins else "off"
        told = {**self._link.environment, **self._allocation.environment, **self.restarts.environment}
        return {**told, "NEREUS_JOINS": joins, "NEREUS_FOUNDERS": str(self._founders), **self._daemon_address}

    @property
    def sockets(self) -> list[Socket]:
        """What to wait for."""
        lines = [self._daemon_line.socket] if self._daemon_line is not None else []
        return [self._link.socket, *self._request_server.sockets, *lines]

    @property
    def expects_newcomers(self) -> bool:
        """Whether newcomers run of whom it is not known yet what becomes of them."""
        parties = [party for request in self._requests.values() for party in request.parties.values()]
        return any(party.group is not None and party.group.outcome is None for party in parties)

    @property
    def ranks(self) -> int:
        """Of the job, as far as it has told."""
        return self._request_server.ranks

    @property
    def due(self) -> float | None:
        """When there is next something to do even if nothing comes."""
        if self._to_start:
            return 0.0
        line = self._daemon_line.due if self._daemon_line is not None else None
        dues = [due for due in (self.members.due, self._host_changes.due, line) if due is not None]
        accepts = [request.accept for request in self._requests.values() if request.accept is not None]
        dues += [max(a.next_release, min(a.until, time.monotonic() + 1)) for a in accepts]
        return min(dues, default=None)

    @property
    def lost_hosts(self) -> Sequence[str]:
        """That the job needed."""
        return self._host_changes.lost

    def failure(self) -> Outcome | None:
        """Of the job, where no launcher tells of it."""
        return self._host_changes.failure or self.members.failure()

    def turn(self) -> None:
        """Do what there is to do, without waiting."""
        self._read_link()
        self._request_server.turn(resizing=bool(self._requests) or self.restarts.under_way)
        self.restarts.turn()
        self._host_changes.turn()
        if self._daemon_line is not None:
            self._daemon_line.turn()
        self._sockets.look()
        if self._memory_epochs is not None:
            self._memory_epochs.look(self._say)
        if self._to_start:
            self._start_party(*self._to_start.popleft())
        now = time.monotonic()
        for request in self._requests.values():
            if request.accept is not None and request.release_is_due(now):
                self._releases.send(request, request.accept, now)

    def group_ended(self, group: Group) -> None:
        """Take note of a group's end, and of what it said before."""
        self._read_link()
        self._host_changes.group_ended(group)
        self.restarts.group_ended(group)
        for number, request in self._requests.items():
            for index, party in request.parties.items():
                if party.group is group and not group.part:
                    party.ended = True
                    self._tell_of_death(number, index, reason_of_end(group))

    def strays_are_left(self) -> bool:
        """Whether nothing holds up a closed job but processes that never became part of it."""
        if self.members.job_is_open or not self._strays.are_left(time.monotonic()):
            return False
        if not self._told_of_strays:
            self._say("newcomers that never became part of it have not ended: they are killed")
        self._told_of_strays = True
        return True

    def explain_failure(self) -> None:
        """Say what else is known of why the job failed."""
        self._host_changes.wait_for_loss()

    def close(self) -> None:
        """Say farewell and hear nobody any more."""
        self.restarts.close()
        self._request_server.close()
        self._link.close()
        self._sockets.close()

    def _network_control_socket(self, start: Supervision) -> NetworkControlSocket | None:
        """Where other hosts ask; a job does without it where it cannot be had."""
        if not start.is_asked_from_elsewhere:
            return None
        try:
            return NetworkControlSocket(self._sockets, Identity(self._groups.job, self._name), start)
        except LaunchError as problem:
            self._say(f"it can be asked from this host only: {problem}")
            return None

    def _line_to_daemon(self, launch: Launch) -> DaemonLine | None:
        """Of a job that can get hosts: the daemon may have it get some."""
        named = {name: os.environ.get(name, "") for name in (CONTROLLER, CONTROLLER_KEYS)}
        known = named | self._daemon_address
        if not (launch.recorded and launch.reach.grows and known[CONTROLLER]):
            return None
        keys = Path(known[CONTROLLER_KEYS]) if known[CONTROLLER_KEYS] else None
        hosts = CommandedHosts(self._host_changes, lambda: self._request_server)
        return DaemonLine(self._sockets, self._groups.job, known[CONTROLLER], keys, hosts)

    def _read_link(self) -> None:
        for sender, frame in self._link.received():
            message = messages.read_from_job(frame, self._groups.job)
            if message is not None:
                self._take(message, sender)

    def _take(self, message: FromJob, sender: bytes) -> None:
        for counts, by in self._roles.sort(message, sender):
            self._handlers[type(counts)](counts, by)

    def _say(self, text: str) -> None:
        print(f"nereus: job {self._name}: {text}", file=sys.stderr, flush=True)

    def _tell_root(self, kind: str, **keys: Any) -> None:
        if self._root is not None:
            self._link.send(self._root, {"kind": kind, "job": self._groups.job, **keys})

    def _tell_of_death(self, request: int, party: int, reason: str) -> None:
        self._tell_root("died", request=request, party=party, reason=reason)

    def _ask_for_resize(self, ticket: int, ranks: int, options: dict[str, str]) -> None:
        self._tell_root("resize", ticket=ticket, ranks=ranks, options=options)

    def _ask_for_save(self, ticket: int, stops: bool) -> None:
        self._tell_root("save", ticket=ticket, stops=stops)

    def _take_root(self, message: messages.Root, sender: bytes) -> None:
        another = self._root is not None and self._root != sender
        self._root = sender
        self.members.open()
        self.restarts.job_opened()
        self._strays.opened()
        self._request_server.root_is_there(message)
        if another:  # with Baseline; what the former one was asked last, it may not have read
            self._request_server.ask_again()

    def _take_answer(self, message: messages.Answer, sender: bytes) -> None:
        self._host_changes.answered(message)
        self._request_server.answered(message)

    def _take_members(self, message: messages.Members, sender: bytes) -> None:
        processes = [Process(known.pid, known.started) for known in message.processes]
        self.members.follow(message.generation, processes, message.hosts)
        self._host_changes.follow(message.hosts)
        self._strays.follow(processes, all(is_here(host) for host in message.hosts))

    def _take_saved(self, message: messages.Saved, sender: bytes) -> None:
        if not message.in_memory:
            self.saves.follow(message)
            self._request_server.saved(message)
        elif self._memory_epochs is not None and message.code == 0:
            self._memory_epochs.made(message, self.members.hosts)

    def _take_keep(self, message: messages.Keep, sender: bytes) -> None:
        if message.epoch == 0:
            kept = self.restarts.keep(message.handles)
        else:
            kept = self._memory_epochs.keep(message.epoch, message.handles) if self._memory_epochs else []
        handles = [handle.model_dump() if handle is not None else None for handle in kept]
        self._tell_root("kept", request=message.request, handles=handles)

    def _start_anew(self, shares: Sequence[messages.ShareAsked]) -> Group:
        ranks = sum(share.ranks for share in shares)
        self._check(shares)
        own = {**self.environment, "NEREUS_FOUNDERS": str(ranks), RESTARTED: "on"}
        self._host_changes.restarted()
        where = [Share(share.host, share.ranks) for share in shares]
        return self._groups.start(self._launch.command(where, own, self._server), founders=True)

    def _take_closing(self, message: messages.Closing, sender: bytes) -> None:
        self.members.close()
        if not self.restarts.job_closed():
            self._request_server.close_job()

    def _take_make(self, message: messages.Make, sender: bytes) -> None:
        request = self._requests.setdefault(message.request, Request())
        new = {asked.party: asked for asked in message.parties if asked.party not in request.parties}
        ranks = sum(share.ranks for asked in new.values() for share in asked.shares)
        allowed = self._most_ranks - sum(other.ranks for other in self._requests.values())
        if ranks > allowed:
            return self._refuse_to_make(message.request, list(new), ranks)
        request.ranks += ranks
        for number, asked in new.items():
            request.parties[number] = Party()
            self._to_start.append((message.request, asked))
        return None

    def _refuse_to_make(self, request: int, parties: Iterable[int], ranks: int) -> None:
        reason = f"{ranks} more processes are too many: at most {self._most_ranks} are allowed (--max-ranks)"
        self._say(reason)
        for number in parties:
            self._requests[request].parties[number] = Party(ended=True)
            self._tell_of_death(request, number, reason)

    def _take_hello(self, message: messages.Hello, sender: bytes) -> None:
        party = self._party(message.request, message.party)
        if party is None or party.group is None or party.leader not in (None, sender):
            return
        party.leader = sender
        self._tell_root("hello", request=message.request, party=message.party, hello=message.hello)
        while party.waiting_orders:
            self._give_orders(party, party.waiting_orders.pop(0))

    def _take_orders(self, message: messages.Orders, sender: bytes) -> None:
        party = self._party(message.request, message.party)
        if party is None:
            return
        if party.leader is None:
            party.waiting_orders.append(message.orders)
        else:
            self._give_orders(party, message.orders)

    def _give_orders(self, party: Party, orders: Any) -> None:
        if party.leader is not None:
            self._link.send(party.leader, {"kind": "orders", "job": self._groups.job, "orders": orders})

    def _take_connecting(self, message: messages.Connecting, sender: bytes) -> None:
        # Where all newcomers were parked and are woken, this is the first that is heard of the request.
        request = self._requests.setdefault(message.request, Request())
        request.accept = Accept(message.port, time.monotonic() + message.seconds)

    def _take_connected(self, message: messages.Connected, sender: bytes) -> None:
        request = self._requests.get(message.request)
        if request is not None:
            request.accept = None

    def _take_settled(self, message: messages.Settled, sender: bytes) -> None:
        request = self._requests.pop(message.request, Request())
        self._to_start = deque(entry for entry in self._to_start if entry[0] != message.request)
        for party in request.parties.values():
            if party.group is not None:
                if message.code == RESIZED:
                    self._groups.adopt(party.group)
                else:
                    self._groups.end(party.group)
        self.restarts.settled()
        self._host_changes.settled(message)
        self._request_server.settled(message)

    def _party(self, request: int, party: int) -> Party | None:
        found = self._requests.get(request)
        return found.parties.get(party) if found is not None else None

    def _start_party(self, request: int, asked: messages.PartyAsked) -> None:
        party = self._requests[request].parties[asked.party]
        try:
            if not self._joins:
                raise LaunchError("this job's supervisor cannot start processes that join")
            self._check(asked.shares)
            shares = [Share(share.host, share.ranks) for share in asked.shares]
            own = {**self.environment, PARTY_VARIABLE: f"{request}.{asked.party}"}
            party.group = self._groups.start(self._launch.command(shares, own, self._server))
        except LaunchError as problem:
            party.ended = True
            self._tell_of_death(request, asked.party, str(problem))

    def _check(self, shares: Sequence[messages.ShareAsked]) -> None:
        for share in shares:
            if share.host and not is_name(share.host):
                raise LaunchError(f"{share.host[:80]!r} is no name of a host")
            if not is_here(share.host) and not self._launch.reach.far:
                raise LaunchError(
                    f"host {share.host}: the job was started for this host alone, without --hosts"
                )


def _most_ranks(launch: Launch) -> int:
    """How many processes the job may have, as its root is told too."""
    allowed = launch.environment.get(_MOST_RANKS, os.environ.get(_MOST_RANKS, ""))
    return int(allowed) if allowed.isdecimal() and len(allowed) <= len(str(MOST_RANKS)) else _USUALLY_MOST
