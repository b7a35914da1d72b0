# SPDX-License-Identifier: BSD-3-Clause
"""Hosts that a user named: there are no others, and nobody else is told when one is not needed any more."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from nereus.allocation.contract import (
    Allocation,
    AllocationError,
    Event,
    EventKind,
    Growth,
    ResourceManager,
    Wish,
)
from nereus.allocation.heartbeats import Heartbeats, Silence
from nereus.launch.hosts import Host, Reach, host_list, is_here


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


def with_heartbeats(manager: ResourceManager, timeout: float) -> ResourceManager:
    """The same hosts, which are lost where no heartbeat came for `timeout` seconds."""
    reach = manager.reach
    far = [host.name for host in reach.hosts if not is_here(host.name)]

    def opened(key: str, folder: Path) -> Allocation:
        allocation = manager.open(key, folder)
        assert isinstance(allocation, StaticAllocation)
        allocation.watch(Heartbeats(far, reach.remote_shell, timeout))
        return allocation

    return replace(manager, open=opened)


class StaticAllocation(Allocation):
    environment: Mapping[str, str] = MappingProxyType({})

    def __init__(self, hosts: Sequence[Host], why: str) -> None:
        """`why`: there can be no others."""
        self._hosts, self._why = tuple(hosts), why
        self._heartbeats: Heartbeats | None = None

    def watch(self, heartbeats: Heartbeats) -> None:
        """Hosts without are lost from now on; they are closed with this."""
        self._heartbeats = heartbeats

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
        if self._heartbeats is not None:
            self._heartbeats.forget(names)
        self._hosts = tuple(host for host in self._hosts if host.name not in names)

    def turn(self) -> list[Event]:
        silences = self._heartbeats.silences() if self._heartbeats is not None else []
        lost = [silence.host for silence in silences if silence.was_heard]
        self._hosts = tuple(host for host in self._hosts if host.name not in lost)
        return [_event(silence) for silence in silences]

    def close(self) -> None:
        """Nothing came by growing."""
        if self._heartbeats is not None:
            self._heartbeats.close()


def _event(silence: Silence) -> Event:
    kind = EventKind.HOST_LOST if silence.was_heard else EventKind.HOST_NOT_WATCHED
    return Event(kind, f"no heartbeat for {silence.seconds:.1f} s", (silence.host,))
