# SPDX-License-Identifier: BSD-3-Clause
"""What a user would lose: a daemon that lives on when more come than it has descriptors for."""

import json
import resource
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from nereus.daemon import ask_daemon, metrics_server
from nereus.daemon.keys import make_keys
from nereus.supervisor.daemon_address import daemon_control_socket

#: Half of them are kept free; as after `ulimit -n 256`, beside those that this process was born with.
DESCRIPTORS = 256


def few_descriptors() -> None:
    allowed = DESCRIPTORS + 2 * len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))


def descriptors_of(process: int) -> int:
    return resource.prlimit(process, resource.RLIMIT_NOFILE)[0]


def refusals() -> list[str]:
    """What the daemon wrote down about those whom it sent away."""
    events = ask_daemon({"kind": "events", "since": 0})["events"]
    return [event["text"] for event in events if event["event"] == "trouble" and "refused" in event["text"]]


@contextmanager
def connections(*address: Any, number: int = 400) -> Iterator[list[socket.socket]]:
    """Of somebody who says nothing; those that were refused are among them."""
    with ExitStack() as stack:
        family, where = (socket.AF_INET, address) if len(address) == 2 else (socket.AF_UNIX, address[0])
        made = [stack.enter_context(socket.socket(family)) for _ in range(number)]
        for one in made:
            one.connect(where)
        yield made


def knocked(port: int) -> bool:
    """Many connect, and go again: nobody knows yet what becomes of them."""
    with connections("127.0.0.1", port, number=200):
        return False


def is_refused(connection: socket.socket) -> bool | None:
    """None: it is not known yet. Who is let in by libzmq is greeted at once."""
    try:
        return connection.recv(1, socket.MSG_DONTWAIT | socket.MSG_PEEK) == b""
    except BlockingIOError:
        return None
    except ConnectionError:
        return True


def let_in(house: Any, made: list[socket.socket]) -> int:
    """How many were, when all have been let in or refused."""
    house.until(lambda: all(is_refused(one) is not None for one in made))
    return sum(not is_refused(one) for one in made)


def welcomed(jobs: list[Any]) -> list[Any]:
    """Those that were; the others say again every second that they are there, as jobs do."""
    now = time.monotonic()
    for job in jobs:
        if not job.received and now - getattr(job, "said", 0.0) > 1:
            job.hello()
            job.said = now
    return [job for job in jobs if "welcome" in job.kinds()]


def test_more_jobs_than_descriptors_are_served_in_sequence(house: Any) -> None:
    daemon = house.begin_elsewhere(dies=few_descriptors)
    jobs = [house.job(f"{number:016x}") for number in range(300)]
    house.until(lambda: len(welcomed(jobs)) >= 80)
    assert ask_daemon({"kind": "status"})["pid"] == daemon
    house.until(lambda: refusals() != [])
    assert f"of {descriptors_of(daemon)} descriptors (ulimit -n) too few are left" in refusals()[0]
    # Who ends makes room for who was refused, and comes again by himself.
    while jobs:
        house.until(lambda: welcomed(jobs) != [])
        for job in welcomed(jobs):
            jobs.remove(job)
            house.leaves(job)
    assert ask_daemon({"kind": "status"})["pid"] == daemon


def test_silent_connections_do_not_block_jobs_or_control_socket(house: Any) -> None:
    daemon = house.begin_elsewhere(dies=few_descriptors)
    job = house.known_job("own")
    # Half of the descriptors are kept free, and of these the control socket may take a quarter.
    allowed = descriptors_of(daemon)
    for path, most in ((house.line, allowed // 2), (daemon_control_socket(), allowed * 5 // 8)):
        with connections(str(path)) as made:
            assert 60 < let_in(house, made) < most
            job.received.clear()
            house.beat(job)
    assert ask_daemon({"kind": "status"})["pid"] == daemon
    house.known_job("late")


def test_daemon_answers_and_stops_while_its_line_is_full(house: Any) -> None:
    daemon = house.begin_elsewhere(dies=few_descriptors)
    with connections(str(house.line)) as made:
        let_in(house, made)
        assert ask_daemon({"kind": "status"})["pid"] == daemon
        ask_daemon({"kind": "stop"})
        house.until(house.is_dead)
        house.child = None
    # Nor is a socket left.
    assert not house.line.parent.exists() or list(house.line.parent.iterdir()) == []


@pytest.mark.whole  # once, on a busy machine, nobody was refused within two minutes: it is not known why
def test_unauthenticated_connections_take_no_descriptors_from_jobs(house: Any, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    make_keys(keys)
    daemon = house.begin_elsewhere(dies=few_descriptors, listen="tcp://127.0.0.1:*", keys=keys)
    port = int(ask_daemon({"kind": "status"})["listen"].rpartition(":")[2])
    with connections("127.0.0.1", port):
        jobs = [house.job(f"{number:016x}") for number in range(20)]
        house.until(lambda: len(welcomed(jobs)) == len(jobs))
        house.beat(*jobs)
        assert ask_daemon({"kind": "status"})["pid"] == daemon
        told = f"{descriptors_of(daemon) // 4} others have not authenticated themselves"
        # On a busy machine the first of them were cut off before so many had come: more come then.
        house.until(lambda: any(told in text for text in refusals()) or knocked(port))
    # They are gone, and friends with keys are heard.
    found = json.loads((keys / "client.json").read_text())
    friend = house.job("friend", connect=False)
    friend.socket.curve_publickey = found["public"].encode()
    friend.socket.curve_secretkey = found["secret"].encode()
    friend.socket.curve_serverkey = found["server"].encode()
    friend.address = f"tcp://127.0.0.1:{port}"
    friend.connect()
    house.until(lambda: welcomed([friend]) != [])


def test_more_jobs_with_keys_than_the_unauthenticated_limit_are_accepted(house: Any, tmp_path: Path) -> None:
    keys = tmp_path / "keys"
    make_keys(keys)
    house.begin_elsewhere(dies=few_descriptors, listen="tcp://127.0.0.1:*", keys=keys)
    found = json.loads((keys / "client.json").read_text())
    jobs = [house.job(f"{number:016x}", connect=False) for number in range(80)]
    for job in jobs:
        job.socket.curve_publickey = found["public"].encode()
        job.socket.curve_secretkey = found["secret"].encode()
        job.socket.curve_serverkey = found["server"].encode()
        job.address = ask_daemon({"kind": "status"})["listen"]
        job.connect()
    house.until(lambda: len(welcomed(jobs)) == len(jobs))


@pytest.fixture
def no_builds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The guard of this process, if other tests have begun one, stays that."""
    monkeypatch.setenv("NEREUS_BUILDS", str(tmp_path / "nothing"))
    monkeypatch.setattr("nereus.supervisor.descriptors._begun", [])


def test_daemon_without_builds_reports_unguarded_descriptors(house: Any, no_builds: None) -> None:
    house.begin()
    house.known_job()
    house.pass_by(1)
    (told,) = house.events("trouble")
    assert told["text"].startswith("descriptors are not guarded: no MPI build of Nereus is installed")


def test_half_open_metrics_connections_use_few_threads_and_end(house: Any) -> None:
    daemon = house.begin_elsewhere(metrics=0)
    job = house.known_job()
    port = ask_daemon({"kind": "status"})["metrics"]
    before = threads(daemon)
    with connections("127.0.0.1", port, number=100) as made:
        for one in made[:20]:
            with suppress(OSError):
                one.send(b"GET /metrics HTTP/1.1\r\nHost:")
        house.beat(job)
        assert threads(daemon) <= before + metrics_server.MOST
        house.until(lambda: len(refusals()) == 1)
        assert f"{metrics_server.MOST} others are being answered" in refusals()[0]
        # The first ones are cut off, though they are there still.
        made[0].settimeout(30)
        assert made[0].recv(1) == b""
        house.until(lambda: metrics_are_served(port))


def threads(process: int) -> int:
    return len(list(Path(f"/proc/{process}/task").iterdir()))


def metrics_are_served(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
            return b"nereus_jobs 1.0" in answer.read()
    except OSError:
        return False
