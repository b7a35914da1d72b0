# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that a user named: there are no others, and nobody else is told when one is not needed any more."""

from collections.abc import Sequence

from nereus.allocation.contract import Allocation, AllocationError, Event, Growth, Wish
from nereus.launch.hosts import Host, host_list


class StaticAllocation(Allocation):
    kind = "static"

    def __init__(self, hosts: Sequence[Host], starter: str | None = None) -> None:
        self._hosts = tuple(hosts)
        self._starter = starter

    @property
    def hosts(self) -> tuple[Host, ...]:
        return self._hosts

    def starter(self) -> str | None:
        return self._starter

    def grow(self, wish: Wish) -> Growth:
        raise AllocationError(
            f"the job has its hosts by a list, {host_list(self._hosts) or 'this one'}: no others can be had"
        )

    def cancel(self, growth: Growth) -> None:
        """There is none."""

    def release(self, names: Sequence[str]) -> None:
        raise AllocationError(f"{', '.join(names)}: the job has its hosts by a list: nobody takes them back")

    def turn(self) -> list[Event]:
        return []

    def close(self) -> None:
        """Nothing came by growing."""
