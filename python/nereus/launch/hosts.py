# SPDX-License-Identifier: BSD-3-Clause
"""Lists of hosts with their slots, and where the first processes of a job go."""

import os
import re
import socket
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from nereus.launch.error import LaunchError

MOST_SLOTS = 1_048_576
# Names end up in command lines of launchers and of remote shells: nothing else may be in them.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,252}\Z")


@dataclass(frozen=True)
class Host:
    """A computer, and how many processes it is meant to run."""

    name: str
    slots: int = 1


@dataclass(frozen=True)
class Share:
    """Consecutive ranks on one host; "" is the host of the supervisor."""

    host: str
    ranks: int


@dataclass(frozen=True)
class RemoteShell:
    """What starts a command on another host, as ssh does: `command` HOST COMMAND."""

    command: str
    #: What it needs in its environment.
    environment: Mapping[str, str] = field(default_factory=dict)

    def complete_environment(self) -> dict[str, str]:
        """What it is executed with."""
        return {**os.environ, **self.environment}


@dataclass(frozen=True)
class Reach:
    """The hosts of a job, and how it gets to them."""

    #: None: this host only.
    hosts: tuple[Host, ...] = ()
    #: None: what the launcher takes by itself.
    remote_shell: RemoteShell | None = None
    #: Whether there may be more hosts later.
    grows: bool = False
    #: Of hosts that are alike, whatever their names: what is true of some is true of all. "": of none.
    alike: str = ""

    @property
    def far(self) -> bool:
        """Whether there are hosts other than this one, or may be."""
        return self.grows or any(not is_here(host.name) for host in self.hosts)


def is_name(text: str) -> bool:
    """Whether this can be the name or the IPv4 address of a host."""
    return _NAME.match(text) is not None


def is_here(name: str) -> bool:
    """Whether a name means this host; names are compared up to the first dot."""
    return name in {"", "localhost", "127.0.0.1"} or short_name(name) == short_name(socket.gethostname())


def read_hosts(text: str, origin: str = "--hosts") -> tuple[Host, ...]:
    """Hosts out of "n1:2,n2"; a host without a number has one slot."""
    if not text:
        return ()
    hosts = [_read_host(part, f"{origin} = {text}") for part in text.split(",")]
    seen: set[str] = set()
    for host in hosts:
        if short_name(host.name) in seen:
            raise LaunchError(f"{origin} = {text}: {host.name} is there twice")
        seen.add(short_name(host.name))
    return tuple(hosts)


def host_list(hosts: Iterable[Host]) -> str:
    """The text that `read_hosts` reads."""
    return ",".join(f"{host.name}:{host.slots}" for host in hosts)


def names_of(hosts: Iterable[Host]) -> list[str]:
    """In their order."""
    return [host.name for host in hosts]


def place(
    hosts: Sequence[Host],
    ranks: int,
    spread: bool,
    oversubscribe: bool,
    least: Mapping[str, int] = MappingProxyType({}),
) -> list[Share]:
    """Where each of the first `ranks` processes goes: hosts filled in list order, or the emptiest first.

    `least`: how many each host gets before that, by its name. Where that is more than `ranks`, all of them
    get fewer.
    """
    if not hosts:
        return [Share("", ranks)]
    slots = sum(host.slots for host in hosts)
    if ranks > slots and not oversubscribe:
        raise LaunchError(
            f"-n = {ranks}: the hosts {host_list(hosts)} have {slots} slots; --oversubscribe takes more"
        )
    in_turns = [
        number
        for turn in range(max(least.values(), default=0))
        for number, host in enumerate(hosts)
        if least.get(host.name, 0) > turn
    ]
    order = sorted(in_turns[:ranks])
    counts = [order.count(number) for number in range(len(hosts))]
    for _ in range(ranks - len(order)):
        chosen = _next(hosts, counts, spread)
        counts[chosen] += 1
        order.append(chosen)
    return _shares(hosts, order)


def _next(hosts: Sequence[Host], counts: Sequence[int], spread: bool) -> int:
    """Number of the host that the next process goes to."""
    free = [number for number, host in enumerate(hosts) if counts[number] < host.slots]
    if not free:
        return min(range(len(hosts)), key=lambda number: counts[number] / hosts[number].slots)
    return min(free, key=lambda number: counts[number]) if spread else free[0]


def _shares(hosts: Sequence[Host], order: Iterable[int]) -> list[Share]:
    shares: list[Share] = []
    for number in order:
        name = hosts[number].name
        if shares and shares[-1].host == name:
            shares[-1] = Share(name, shares[-1].ranks + 1)
        else:
            shares.append(Share(name, 1))
    return shares


def short_name(name: str) -> str:
    """What tells a host from others: its name up to the first dot; an address counts whole."""
    return name.partition(".")[0].lower() if not name.replace(".", "").isdigit() else name


def _read_host(part: str, where: str) -> Host:
    name, colon, slots = part.partition(":")
    if not is_name(name):
        raise LaunchError(
            f"{where}: {name or 'an empty name'} is no name of a host; allowed is NAME:SLOTS,..."
        )
    if not colon:
        return Host(name)
    if not (slots.isascii() and slots.isdigit() and 1 <= int(slots[:9]) <= MOST_SLOTS and len(slots) < 9):
        raise LaunchError(f"{where}: {name} has {slots or 'no'} slots; allowed is 1 .. {MOST_SLOTS}")
    return Host(name, int(slots))
