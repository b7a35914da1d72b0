# SPDX-License-Identifier: BSD-3-Clause
"""Names of hosts as the daemon keeps them: jobs say them long or short, or not at all of their own host."""

import socket
from collections import Counter
from collections.abc import Iterable

from nereus.launch import Host, cores
from nereus.launch.hosts import is_here


def own_name() -> str:
    return _short(socket.gethostname())


def host_name(name: str) -> str:
    return own_name() if is_here(name) else _short(name)


def places_of(hosts: Iterable[str]) -> dict[str, int]:
    """Ranks on each host, of the host of each rank."""
    return {host_name(name): ranks for name, ranks in Counter(hosts).items()}


def cores_of(hosts: Iterable[Host]) -> dict[str, int]:
    """Cores on each host; none named: those of this one."""
    return {host_name(host.name): host.slots for host in hosts} or {own_name(): cores()}


def _short(name: str) -> str:
    return name if name.replace(".", "").isdigit() else name.partition(".")[0].lower()
