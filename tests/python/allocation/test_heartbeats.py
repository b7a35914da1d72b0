# SPDX-License-Identifier: BSD-3-Clause
"""Hosts send heartbeats, and are lost without them."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import pytest
from a_slurm import WITHIN

from nereus.allocation import Allocation, Event, EventKind, static_hosts, with_heartbeats
from nereus.allocation.heartbeats import Heartbeats, Silence
from nereus.launch.hosts import Host, Reach, RemoteShell

TIMEOUT = 3.0
# Hosts with the file NAME.alive send lines; the others neither send any nor end.
_SHELL = """\
#!/bin/sh
cd {folder} || exit
echo $$ >> "$1.started"
while [ -e "$1.alive" ]; do echo; sleep 0.01; done
exec sleep 600
"""


@dataclass
class Hosts:
    """Of the names n1 and n2, at a time of their own."""

    folder: Path
    shell: RemoteShell
    moment: float = 100.0
    heartbeats: Heartbeats = field(init=False)
    ended: ExitStack = field(init=False)

    def begin(self) -> None:
        self.heartbeats = Heartbeats(["n1", "n2"], self.shell, TIMEOUT, lambda: self.moment)
        self.ended.callback(self.heartbeats.close)

    def alive(self, *names: str) -> None:
        for name in names:
            (self.folder / f"{name}.alive").touch()

    def dead(self, name: str) -> None:
        """Silent for good, with nothing left to read of it."""
        (self.folder / f"{name}.alive").unlink()
        time.sleep(0.1)
        assert self.heartbeats.silences() == []

    def wait_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + WITHIN
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.01)

    def heard(self) -> bool:
        """Whether both have sent something; the time stands still meanwhile."""
        assert self.heartbeats.silences() == []
        return all(heartbeat.was_heard for heartbeat in self.heartbeats._hosts.values())

    def pass_time(self, seconds: float) -> list[Silence]:
        """In steps, in each of which what is alive sends something."""
        found: list[Silence] = []
        until = self.moment + seconds
        while self.moment < until:
            self.moment += 0.25
            found += self.heartbeats.silences()
            self.wait_until(self._heard_now)
        return found

    def _heard_now(self) -> bool:
        assert self.heartbeats.silences() == []
        alive = {file.stem for file in self.folder.glob("*.alive")}
        watched = self.heartbeats._hosts.items()
        return all(heartbeat.latest == self.moment for name, heartbeat in watched if name in alive)

    def starts(self, name: str) -> list[int]:
        file = self.folder / f"{name}.started"
        return [int(line) for line in file.read_text().split()] if file.exists() else []


@pytest.fixture
def hosts(tmp_path: Path) -> Iterator[Hosts]:
    file = tmp_path / "shell"
    file.write_text(_SHELL.format(folder=tmp_path))
    file.chmod(0o755)
    made = Hosts(tmp_path, RemoteShell(str(file)))
    with ExitStack() as ended:
        made.ended = ended
        yield made


def test_host_that_was_heard_and_falls_silent_is_lost_once(hosts: Hosts) -> None:
    hosts.alive("n1", "n2")
    hosts.begin()
    hosts.wait_until(hosts.heard)
    hosts.dead("n2")
    found = hosts.pass_time(2 * TIMEOUT)
    assert [(silence.host, silence.was_heard) for silence in found] == [("n2", True)]
    assert TIMEOUT < found[0].seconds <= TIMEOUT + 0.5


def test_host_that_was_never_heard_cannot_be_watched(hosts: Hosts) -> None:
    hosts.begin()
    found = hosts.pass_time(2 * TIMEOUT)
    assert found == []
    found = hosts.pass_time(30.0)
    assert [(silence.host, silence.was_heard) for silence in found] == [("n1", False), ("n2", False)]


def test_absence_of_the_reader_is_no_silence_of_hosts(hosts: Hosts) -> None:
    hosts.alive("n1", "n2")
    hosts.begin()
    hosts.wait_until(hosts.heard)
    hosts.dead("n2")
    hosts.moment += 100 * TIMEOUT
    assert hosts.heartbeats.silences() == []
    assert [silence.host for silence in hosts.pass_time(2 * TIMEOUT)] == ["n2"]


def test_command_that_ended_is_started_again(hosts: Hosts) -> None:
    (hosts.folder / "shell").write_text(f"#!/bin/sh\necho $$ >> {hosts.folder}/$1.started\n")
    hosts.begin()
    hosts.wait_until(lambda: len(hosts.starts("n1")) > 0)

    def started(times: int) -> bool:
        return hosts.heartbeats.silences() == [] and len(hosts.starts("n1")) == times

    for times in (2, 3):
        hosts.moment += 1.5
        hosts.wait_until(partial(started, times))


def test_missing_remote_shell_makes_hosts_that_cannot_be_watched(hosts: Hosts) -> None:
    (hosts.folder / "shell").unlink()
    hosts.begin()
    hosts.moment += 0.5
    assert {silence.was_heard for silence in hosts.pass_time(40.0)} == {False}


def test_closing_leaves_no_process(hosts: Hosts) -> None:
    hosts.begin()
    hosts.wait_until(lambda: len(hosts.starts("n1") + hosts.starts("n2")) == 2)
    hosts.heartbeats.close()
    started = hosts.starts("n1") + hosts.starts("n2")
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]


def test_lines_come_each_second_by_a_shell_that_runs_commands(hosts: Hosts) -> None:
    (hosts.folder / "shell").write_text('#!/bin/sh\nshift\nexec sh -c "$*"\n')
    hosts.begin()
    hosts.wait_until(hosts.heard)
    for heartbeat in hosts.heartbeats._hosts.values():
        heartbeat.was_heard = False
    hosts.wait_until(hosts.heard)


def opened(hosts: Hosts, timeout: float) -> Allocation:
    reach = Reach((Host("localhost", 2), Host("n2", 2)), hosts.shell)
    return with_heartbeats(static_hosts(reach), timeout).open("key", hosts.folder)


def test_allocation_tells_of_a_lost_host_and_has_it_no_more(
    hosts: Hosts,
) -> None:
    hosts.alive("n2")
    allocation = opened(hosts, 2.0)
    found: list[Event] = []

    def watched() -> bool:
        found.extend(allocation.turn())
        return allocation._heartbeats._hosts["n2"].was_heard  # type: ignore[attr-defined, no-any-return]

    def told() -> bool:
        found.extend(allocation.turn())
        return found != []

    try:
        hosts.wait_until(watched)
        (hosts.folder / "n2.alive").unlink()
        hosts.wait_until(told)
        (event,) = found
        assert (event.kind, event.hosts) == (EventKind.HOST_LOST, ("n2",))
        assert "no heartbeat for" in event.reason
        assert [host.name for host in allocation.hosts] == ["localhost"]
    finally:
        allocation.close()


def test_released_host_is_not_watched_any_more(hosts: Hosts) -> None:
    allocation = opened(hosts, TIMEOUT)
    try:
        hosts.wait_until(lambda: len(hosts.starts("n2")) == 1)
        allocation.release(["n2"])
        assert not Path(f"/proc/{hosts.starts('n2')[-1]}").exists()
    finally:
        allocation.close()
