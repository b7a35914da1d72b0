# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that a user named: there are no others, and nobody else is told when one is not needed any more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType

from nereus.allocation.contract import Allocation, AllocationError, Event, Growth, ResourceManager, Wish
from nereus.launch.hosts import Host, Reach, host_list


def static_hosts(reach: Reach) -> ResourceManager:
    """Nobody gives hosts but the user."""
    why = f"the job has its hosts by a list, {host_list(reach.hosts) or 'this one'}"
    return ResourceManager("static", reach, lambda key, folder: StaticAllocation(reach.hosts, why))


def keeping_hosts(manager: ResourceManager, why: str) -> ResourceManager:
    """The same hosts, for jobs that can have no others because of `why`."""
    reach, shared = replace(manager.reach, grows=False), manager.shared
    return replace(
        manager,
        reach=reach,
        open=lambda key, folder: StaticAllocation(reach.hosts, why),
        shared=partial(shared, keeps=why) if shared is not None else None,
    )


class StaticAllocation(Allocation):
    environment: Mapping[str, str] = MappingProxyType({})

    def __init__(self, hosts: Sequence[Host], why: str) -> None:
        """`why`: there can be no others."""
        self._hosts, self._why = tuple(hosts), why

    @property
    def hosts(self) -> tuple[Host, ...]:
        return self._hosts

    def grow(self, wish: Wish) -> Growth:
        raise AllocationError(f"{self._why}: no others can be had")

    def cancel(self, growth: Growth) -> None:
        """There is none."""

    def check_release(self, names: Sequence[str]) -> None:
        """Users have them as long as they like: the job may leave them."""

    def release(self, names: Sequence[str], clean: bool = False) -> None:
        """Nobody takes them back; the job has them no more."""
        self._hosts = tuple(host for host in self._hosts if host.name not in names)

    def turn(self) -> list[Event]:
        return []

    def close(self) -> None:
        """Nothing came by growing."""
